import type { ReactNode } from "react";
import type { Rule } from "../lib/messages.ts";
import type { PreviewMutations } from "./preview-values.ts";
import type { PreviewGuard } from "./preview-guard.ts";

export interface AccessPreviewProps {
  guard: PreviewGuard;
  mutations: PreviewMutations;
  /** Rewords the errors of the calls. */
  rules?: readonly Rule[];
  /** Shown beside the title. */
  summary?: ReactNode;
  /** Shown below the changes. */
  note?: ReactNode;
  /** Always within its surroundings, such as a dialog; otherwise beside the form on wide screens. */
  isInline?: boolean;
}
