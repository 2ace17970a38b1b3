import { blockHostV2, type HostV2 } from "@lightkeeper/contract";
import { useOutletContext } from "react-router";
import { useWrite } from "../lib/query.ts";
import { ConfirmWithPreview } from "../preview/confirm-with-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { hostPath, kindOf } from "../references/host-link.tsx";

export function BlockHostDialog() {
  const host = useOutletContext<HostV2>();
  const close = useCloseDialog(hostPath(host), { goBack: true });
  const call = { params: { hostID: host.id } };
  const { mutate, isPending, error } = useWrite(blockHostV2, {
    onSuccess: () => {
      toast(`${host.name} blocked`, { tone: "ok" });
      close();
    },
    rules: [],
  });
  return (
    <ConfirmWithPreview
      danger
      title={`Block ${kindOf(host)} ${host.name}?`}
      consequence={`${host.name} is disconnected immediately and its certificate is revoked. To reconnect it, unblock it and enroll it again.`}
      confirmLabel="Block"
      mutations={mutationsOf(blockHostV2, call)}
      name={host.name}
      typedName={host.name}
      pending={isPending}
      error={error}
      rules={[]}
      onClose={close}
      onConfirm={() => mutate(call)}
    />
  );
}
