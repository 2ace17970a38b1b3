import { deleteNetwork, type NetworkV2 } from "@lightkeeper/contract";
import { messageOf } from "../lib/errors.ts";
import { networkHasDependents } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";

interface DeleteNetworkDialogProps {
  network: NetworkV2;
  onClose: () => void;
  onDeleted: () => unknown;
}

/** The default export is for `lazy()`. */
export default function DeleteNetworkDialog({ network, onClose, onDeleted }: DeleteNetworkDialogProps) {
  const { mutate, isPending, error } = useWrite(deleteNetwork, {
    onSuccess: async () => {
      toast(`Network ${network.name} deleted`, { tone: "ok" });
      await onDeleted();
    },
    rules: [networkHasDependents],
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`Delete network ${network.name}?`}
      consequence={`${network.cidrs.join(" and ")} ${network.cidrs.length > 1 ? "become" : "becomes"} available for other networks, and the certificate authority of ${network.name} is permanently deleted. You can’t undo this.`}
      confirmLabel="Delete network"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={onClose}
      onConfirm={() => mutate({ params: { networkID: network.id } })}
    />
  );
}
