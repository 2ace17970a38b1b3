import type { AccessPreview, BrokenGuarantee } from "@lightkeeper/contract";
import type { RefObject } from "react";
import type { PreviewMutations } from "./preview-values.ts";

/** Asks before a person loses their own access. */
export interface Question {
  /** Has to be typed to confirm. */
  name: string;
  lost: AccessPreview["ownAccessLost"];
  answer: (isConfirmed: boolean) => void;
}

/** Guarantees that prevented calls from being made. */
export interface Violation {
  mutations: string;
  guarantees: readonly BrokenGuarantee[];
}

export interface GuardedCall {
  mutations: PreviewMutations;
  /** The name of the object that is saved. */
  name: string;
  run: () => Promise<unknown>;
}

export interface PreviewGuard {
  /** The notice about broken guarantees, which gets the focus when saving is prevented. */
  notice: RefObject<HTMLDivElement | null>;
  /** On phones, the preview is in a sheet. */
  isSheetOpen: boolean;
  setSheetOpen: (isOpen: boolean) => void;
  question: Question | undefined;
  isSaving: boolean;
  /** The guarantees that prevented exactly these calls. */
  violatedBy: (mutations: PreviewMutations) => readonly BrokenGuarantee[];
  /** Makes the calls unless they break a guarantee, or the person doesn't confirm that they lose access. */
  save: (call: GuardedCall) => Promise<void>;
}
