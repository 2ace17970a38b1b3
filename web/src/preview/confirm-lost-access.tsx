import type { AccessPreview } from "@lightkeeper/contract";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { LostAccess } from "./lost-access.tsx";
import type { PreviewGuard } from "./preview-guard.ts";

/** Asks before a change takes away the person's own access. */
export function ConfirmLostAccess({ guard: { question } }: { guard: Pick<PreviewGuard, "question"> }) {
  if (!question) return null;
  return (
    <ConfirmDialog
      open
      danger
      title="Save and lose your own access?"
      consequence={<LostAccessList lost={question.lost} />}
      confirmLabel="Save anyway"
      typedName={question.name.trim()}
      onClose={() => question.answer(false)}
      onConfirm={() => question.answer(true)}
    />
  );
}

function LostAccessList({ lost }: { lost: AccessPreview["ownAccessLost"] }) {
  return lost.map((one) => (
    <p key={one.host.id}>
      <LostAccess lost={one} />
    </p>
  ));
}
