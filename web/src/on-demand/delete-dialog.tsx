import type { Dependents } from "@lightkeeper/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { rejectionOf } from "./dependents.tsx";
import { messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { Notice } from "../ui/feedback/notice.tsx";

interface DeleteDialogProps {
  noun: "role" | "tag";
  name: string;
  /** What else is deleted with the role or tag. */
  consequence: ReactNode;
  dependents: UseQueryResult<Dependents>;
  /** How deleting changes the dependents. */
  preview: ReactNode;
  pending: boolean;
  error: Error | null;
  onClose: () => void;
  /** `detach`: first remove the role or tag from the hosts and rules that use it. */
  onConfirm: (detach: boolean) => void;
}

/** Confirms the deletion of a role or tag, with its dependents and how they change. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { noun, name, consequence, dependents, preview, pending, error, onClose, onConfirm } = props;
  const [isChecked, setChecked] = useState(false);
  const { data } = dependents;
  const isInUse = data !== undefined && data.hostCount + data.ruleCount > 0;
  return (
    <ConfirmDialog
      open
      danger
      title={
        <>
          Delete {noun} <bdi>{name}</bdi>?
        </>
      }
      consequence={consequence}
      confirmLabel={`Delete ${noun}`}
      loading={dependents.isPending}
      undecided={isInUse && !isChecked}
      pending={pending}
      error={rejectionOf(error)}
      onClose={onClose}
      onConfirm={() => onConfirm(isInUse)}
    >
      {preview}
      {isInUse && (
        <Checkbox
          label={`Remove this ${noun} from ${usersOf(data)}, then delete it`}
          checked={isChecked}
          onChange={(event) => setChecked(event.currentTarget.checked)}
        />
      )}
      {dependents.error && <Notice tone="warn">{messageOf(dependents.error)}</Notice>}
    </ConfirmDialog>
  );
}

/** "12 hosts and 3 rules" */
function usersOf({ hostCount, ruleCount }: Dependents): string {
  const users = [
    hostCount > 0 && formatCount(hostCount, "host"),
    ruleCount > 0 && formatCount(ruleCount, "rule"),
  ];
  return users.filter(Boolean).join(" and ");
}
