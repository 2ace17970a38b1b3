import { createHostAndEnrollmentCodeV2 } from "@lightkeeper/contract";
import type { PaletteAction } from "../lib/palette.ts";
import { PlusIcon } from "../ui/base/icons.tsx";

export const addSeveralHosts: PaletteAction = {
  page: "/hosts",
  endpoint: createHostAndEnrollmentCodeV2,
  command: {
    label: "Add several hosts",
    keywords: "create new bulk csv import",
    icon: PlusIcon,
    to: "/hosts/add-several",
  },
};
