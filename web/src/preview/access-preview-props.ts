import type { ReactNode } from "react";
import type { PreviewMutations } from "./preview-values.ts";
import type { PreviewGuard } from "./preview-guard.ts";

export interface AccessPreviewProps {
  guard: PreviewGuard;
  mutations: PreviewMutations;
  /** Shown below the changes. */
  note?: ReactNode;
  /** Always within its surroundings, such as a dialog; otherwise beside the form on wide screens. */
  isInline?: boolean;
}
