import { listRuleLints } from "@lightkeeper/contract";
import type { PaletteAction } from "../lib/palette.ts";
import { RULES_TO_REVIEW_PATH } from "../references/access-paths.ts";
import { RoleIcon } from "../ui/base/icons.tsx";

export const openRulesToReview: PaletteAction = {
  endpoint: listRuleLints,
  command: {
    label: "Rules to review",
    keywords: "lint unused redundant covered never matches broad firewall",
    icon: RoleIcon,
    to: RULES_TO_REVIEW_PATH,
  },
};
