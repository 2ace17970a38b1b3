import { deleteHost, type HostV2 } from "@lightkeeper/contract";
import { useNavigate, useOutletContext } from "react-router";
import type { Rule } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { ConfirmWithPreview } from "../preview/confirm-with-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { hostPath, kindOf } from "../references/host-link.tsx";
import { lastListPath } from "../references/last-list-path.ts";

const rules: readonly Rule[] = [
  {
    codes: ["ERR_HAS_DEPENDENTS"],
    message:
      "This host is the router of one or more routes. Delete those routes or choose another router for them, then try again.",
  },
];

export function DeleteHostDialog() {
  const host = useOutletContext<HostV2>();
  const kind = kindOf(host);
  const navigate = useNavigate();
  const close = useCloseDialog(hostPath(host), { goBack: true });
  const call = { params: { hostID: host.id } };
  const { mutate, isPending, error } = useWrite(deleteHost, {
    onSuccess: async () => {
      toast(`${host.name} deleted`, { tone: "ok" });
      await navigate(lastListPath(kind), { replace: true });
    },
    rules,
  });
  return (
    <ConfirmWithPreview
      danger
      title={`Delete ${kind} ${host.name}?`}
      consequence={`${host.name} is disconnected immediately and ${host.ipAddresses.join(" and ")} ${host.ipAddresses.length > 1 ? "become" : "becomes"} available for other hosts. You can’t undo this.`}
      confirmLabel="Delete"
      mutations={mutationsOf(deleteHost, call)}
      name={host.name}
      typedName={host.name}
      pending={isPending}
      error={error}
      rules={rules}
      onClose={close}
      onConfirm={() => mutate(call)}
    />
  );
}
