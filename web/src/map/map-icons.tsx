import { icon } from "../ui/base/icon.tsx";

export const MinusIcon = /* @__PURE__ */ icon("M3 8h10");
export const FitIcon = /* @__PURE__ */ icon("M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10");
