import type { Dependents } from "@lightkeeper/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { messageOf } from "../lib/errors.ts";
import { formatCount } from "../lib/format.ts";
import type { Rule } from "../lib/messages.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { ConfirmWithPreview } from "./confirm-with-preview.tsx";
import type { PreviewMutations } from "./preview-values.ts";

interface DeleteWithPreviewProps {
  noun: "role" | "tag";
  name: string;
  /** What else is deleted with the role or tag. */
  consequence: ReactNode;
  dependents: UseQueryResult<Dependents>;
  /** How deleting changes the dependents. */
  preview: ReactNode;
  /** The call that deletes the role or tag, for the preview. */
  mutations: PreviewMutations;
  pending: boolean;
  error: Error | null;
  rules: readonly Rule[];
  onClose: () => void;
  /** `detach`: first remove the role or tag from the hosts and rules that use it. */
  onConfirm: (detach: boolean) => void;
}

/** Confirms the deletion of a role or tag, with its dependents and how they change. */
export function DeleteWithPreview(props: DeleteWithPreviewProps) {
  const { noun, name, dependents, preview, onConfirm, ...dialog } = props;
  const [isChecked, setChecked] = useState(false);
  const { data } = dependents;
  const isInUse = data !== undefined && data.hostCount + data.ruleCount > 0;
  return (
    <ConfirmWithPreview
      {...dialog}
      danger
      name={name}
      title={
        <>
          Delete {noun} <bdi>{name}</bdi>?
        </>
      }
      confirmLabel={`Delete ${noun}`}
      loading={dependents.isPending}
      undecided={isInUse && !isChecked}
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
    </ConfirmWithPreview>
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
