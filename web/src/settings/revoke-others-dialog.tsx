import { NotFoundError, revokeSession, type Session } from "@lightkeeper/contract";
import { useMutation } from "@tanstack/react-query";
import { api } from "../lib/api.ts";
import { handleShownError, messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { invalidateNoun } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";

interface RevokeOthersDialogProps {
  sessions: readonly Session[];
  onClose: () => void;
}

/** A session that has already ended counts as revoked. */
async function revoke({ id }: Session): Promise<void> {
  await api(revokeSession, { params: { sessionID: id } }).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
}

/** A default export, for `lazy()`. */
export default function RevokeOthersDialog({ sessions, onClose }: RevokeOthersDialogProps) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => Promise.all(sessions.map(revoke)),
    onSuccess: () => {
      toast("Logged out everywhere else", { tone: "ok" });
      onClose();
    },
    onError: (failure: Error) => handleShownError(failure),
    onSettled: () => invalidateNoun(revokeSession.noun),
  });
  return (
    <ConfirmDialog
      open
      danger
      title="Log out everywhere else?"
      consequence={`${formatCount(sessions.length, "other session")} ${sessions.length === 1 ? "ends" : "end"} immediately. You stay logged in here.`}
      confirmLabel="Log out everywhere else"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={onClose}
      onConfirm={() => mutate()}
    />
  );
}
