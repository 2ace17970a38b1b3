import { blockHostV2, type HostV2 } from "@lightkeeper/contract";
import { useOutletContext } from "react-router";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { hostPath, kindOf } from "../references/host-link.tsx";

export function BlockHostDialog() {
  const host = useOutletContext<HostV2>();
  const close = useCloseDialog(hostPath(host), { goBack: true });
  const { mutate, isPending, error } = useWrite(blockHostV2, {
    onSuccess: () => {
      toast(`${host.name} blocked`, { tone: "ok" });
      close();
    },
    rules: [],
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`Block ${kindOf(host)} ${host.name}?`}
      consequence={`${host.name} is disconnected immediately and its certificate is revoked. To reconnect it, unblock it and enroll it again.`}
      confirmLabel="Block"
      typedName={host.name}
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate({ params: { hostID: host.id } })}
    />
  );
}
