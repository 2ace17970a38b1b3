import { bulkHosts } from "@lightkeeper/contract";
import { ConfirmWithPreview } from "../preview/confirm-with-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { bulkRules, useBulkWrite, type BulkDialogProps } from "./bulk-change.ts";

const texts = {
  block: {
    verb: "Block",
    consequence:
      "These hosts are disconnected immediately and their certificates are revoked. Each must enroll again after it’s unblocked.",
  },
  unblock: {
    verb: "Unblock",
    consequence: "To reconnect these hosts, enroll each of them again.",
  },
  delete: {
    verb: "Delete",
    consequence:
      "These hosts are disconnected immediately and their addresses become available. Hosts that are the router of a route aren’t deleted. You can’t undo this.",
  },
} as const;

interface BulkConfirmDialogProps extends BulkDialogProps {
  action: keyof typeof texts;
}

/** Blocks, unblocks or deletes hosts. */
export function BulkConfirmDialog(props: BulkConfirmDialogProps) {
  const { action, hostCount, hosts, onClose, onStarted } = props;
  const { mutate, isPending, error } = useBulkWrite(onStarted);
  const { verb, consequence } = texts[action];
  const call = { body: { ...hosts, action } };
  return (
    <ConfirmWithPreview
      danger={action !== "unblock"}
      title={`${verb} ${hostCount}?`}
      consequence={consequence}
      confirmLabel={verb}
      mutations={mutationsOf(bulkHosts, call)}
      name={hostCount}
      typedName={action === "unblock" ? undefined : `${verb.toLowerCase()} ${hostCount}`}
      pending={isPending}
      error={error}
      rules={bulkRules}
      onClose={onClose}
      onConfirm={() => mutate(call)}
    />
  );
}
