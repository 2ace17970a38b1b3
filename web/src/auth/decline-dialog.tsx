import type { Invitation } from "@lightkeeper/contract";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { inviterOf } from "./invitation-details.tsx";

interface DeclineDialogProps {
  invitation: Invitation;
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

export function DeclineDialog({ invitation, ...dialog }: DeclineDialogProps) {
  return (
    <ConfirmDialog
      {...dialog}
      open
      danger
      title={`Decline the invitation to ${invitation.organizationName}?`}
      consequence={`The invitation is deleted and the organization’s audit log shows that you declined. ${inviterOf(invitation)} can invite you again.`}
      confirmLabel="Decline invitation"
    />
  );
}
