/** Icons that only the access pages need. */
import { icon } from "../ui/base/icon.tsx";

export const ArrowRightIcon = /* @__PURE__ */ icon("M2.5 8h11M9.5 4l4 4-4 4");
export const SwapIcon = /* @__PURE__ */ icon("M2.5 5.5h10L10 3M13.5 10.5h-10L6 13");
export const LinkIcon = /* @__PURE__ */ icon(
  "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2a2.6 2.6 0 0 0-3.7-3.7l-.8.8M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9a2.6 2.6 0 0 0 3.7 3.7l.8-.8",
);
