import type { AccessPreview, BrokenGuarantee } from "@lightkeeper/contract";
import { useEffect, useRef, useState } from "react";
import { markHandled } from "../lib/errors.ts";
import { queryClient } from "../lib/query.ts";
import type { Question, Violation, GuardedCall, PreviewGuard } from "./preview-guard.ts";
import type { PreviewMutations } from "./preview-values.ts";
import { violatedGuarantees } from "./violation-values.ts";

/** The preview of exactly these calls; undefined if there is none, so that the server decides. */
async function previewOf(mutations: PreviewMutations): Promise<AccessPreview | undefined> {
  if (!mutations || mutations.length === 0) return undefined;
  const [{ previewQuery }] = await Promise.all([
    import("./preview.queries.ts"),
    import("./change-preview.tsx"),
  ]);
  return await queryClient.fetchQuery({ ...previewQuery(mutations), retry: false }).catch(() => undefined);
}

export function usePreviewGuard(): PreviewGuard {
  const [isSaving, setSaving] = useState(false);
  const { question, confirm } = useQuestion();
  const { reject, ...notice } = useRejection();

  async function attempt({ mutations, name, run }: GuardedCall) {
    const { brokenGuarantees = [], ownAccessLost = [] } = (await previewOf(mutations)) ?? {};
    if (brokenGuarantees.length > 0) return reject(mutations, brokenGuarantees);
    if (ownAccessLost.length > 0 && !(await confirm(name, ownAccessLost))) return;
    try {
      await run();
    } catch (error) {
      const guarantees = violatedGuarantees(error);
      if (guarantees.length === 0) throw error;
      markHandled(error);
      reject(mutations, guarantees);
    }
  }

  async function save(call: GuardedCall) {
    setSaving(true);
    try {
      await attempt(call);
    } finally {
      setSaving(false);
    }
  }

  return { ...notice, question, isSaving, save };
}

function useQuestion() {
  const [question, setQuestion] = useState<Question>();
  const confirm = (name: string, lost: Question["lost"]) =>
    new Promise<boolean>((resolve) => {
      const answer = (isConfirmed: boolean) => {
        setQuestion(undefined);
        resolve(isConfirmed);
      };
      setQuestion({ name, lost, answer });
    });
  return { question, confirm };
}

/** Shows the guarantees that prevented saving, and moves the focus to them. */
function useRejection() {
  const notice = useRef<HTMLDivElement>(null);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const [violation, setViolation] = useState<Violation>();
  // Each rejection is a new object, so a repeated attempt moves the focus again.
  useEffect(() => {
    if (violation) notice.current?.focus();
  }, [violation]);
  return {
    notice,
    isSheetOpen,
    setSheetOpen,
    violatedBy: (mutations: PreviewMutations) =>
      violation?.mutations === JSON.stringify(mutations) ? violation.guarantees : [],
    reject: (mutations: PreviewMutations, guarantees: readonly BrokenGuarantee[]) => {
      setSheetOpen(true);
      setViolation({ mutations: JSON.stringify(mutations), guarantees });
    },
  };
}
