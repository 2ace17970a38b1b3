import type { PaletteAction } from "../lib/palette.ts";
import { CheckIcon } from "../ui/base/icons.tsx";

export const openGetStarted: PaletteAction = {
  command: {
    label: "Get started",
    keywords: "checklist first steps help",
    icon: CheckIcon,
    to: "/get-started",
  },
};
