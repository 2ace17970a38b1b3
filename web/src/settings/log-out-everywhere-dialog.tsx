import { useMutation } from "@tanstack/react-query";
import { handleShownError, messageOf } from "../lib/errors.ts";
import { signOutEverywhere } from "../lib/session.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";

/** A default export, for `lazy()`. */
export default function LogOutEverywhereDialog({ onClose }: { onClose: () => void }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: signOutEverywhere,
    onError: (failure: Error) => handleShownError(failure),
  });
  return (
    <ConfirmDialog
      open
      danger
      title="Log out everywhere?"
      consequence="All your sessions end immediately, including this one. To log in again, you need a link from your email and a code from your authenticator app."
      confirmLabel="Log out everywhere"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={onClose}
      onConfirm={() => mutate()}
    />
  );
}
