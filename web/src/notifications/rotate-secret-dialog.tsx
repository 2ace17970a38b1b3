import {
  type NotificationChannel,
  rotateNotificationSecret,
  SECRET_OVERLAP_HOURS,
} from "@lightkeeper/contract";
import { useState } from "react";
import { useAskBeforeUnload } from "../forms/leave-guard.tsx";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { Button } from "../ui/controls/button.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { leaveWithoutSecretTexts, NewSecret } from "./new-secret.tsx";

interface RotateSecretDialogProps {
  channel: NotificationChannel;
  onClose: () => void;
}

export function RotateSecretDialog({ channel, onClose }: RotateSecretDialogProps) {
  const [secret, setSecret] = useState<string>();
  const { mutate, isPending, error } = useWrite(rotateNotificationSecret, {
    onSuccess: (rotated) => setSecret(rotated.secret ?? undefined),
    rules: [],
  });
  if (secret !== undefined) return <Rotated secret={secret} onDone={onClose} />;
  return (
    <ConfirmDialog
      open
      title={`Rotate the secret of ${channel.name}?`}
      consequence={`Creates a new secret, which is shown once. For ${SECRET_OVERLAP_HOURS} hours, requests are signed with both secrets. A secret from an earlier rotation stops working immediately.`}
      confirmLabel="Rotate secret"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={onClose}
      onConfirm={() => mutate({ params: { channelID: channel.id } })}
    />
  );
}

/** Stays open until the person confirms that the secret is saved, or leaves without it. */
function Rotated({ secret, onDone }: { secret: string; onDone: () => void }) {
  const [isLeaving, setLeaving] = useState(false);
  useAskBeforeUnload(true);
  return (
    <Dialog
      open
      alert
      size="large"
      title="New signing secret"
      onClose={() => setLeaving(true)}
      actions={
        <Button variant="primary" onClick={onDone}>
          I’ve saved it
        </Button>
      }
    >
      <NewSecret secret={secret} />
      <ConfirmDialog
        {...leaveWithoutSecretTexts}
        open={isLeaving}
        danger
        confirmLabel="Leave"
        onClose={() => setLeaving(false)}
        onConfirm={onDone}
      />
    </Dialog>
  );
}
