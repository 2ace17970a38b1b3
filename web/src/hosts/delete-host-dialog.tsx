import { deleteHost, type HostV2 } from "@lightkeeper/contract";
import { useNavigate, useOutletContext } from "react-router";
import { rejectionOf } from "../on-demand/dependents.tsx";
import { useWrite } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { hostPath, kindOf } from "../references/host-link.tsx";
import { lastListPath } from "../references/last-list-path.ts";

const hostIsRouter = {
  codes: ["ERR_HAS_DEPENDENTS"],
  message:
    "This host is the router of one or more routes. Delete those routes or choose another router for them, then try again.",
};

export function DeleteHostDialog() {
  const host = useOutletContext<HostV2>();
  const kind = kindOf(host);
  const navigate = useNavigate();
  const close = useCloseDialog(hostPath(host), { goBack: true });
  const { mutate, isPending, error } = useWrite(deleteHost, {
    onSuccess: async () => {
      toast(`${host.name} deleted`, { tone: "ok" });
      await navigate(lastListPath(kind), { replace: true });
    },
    rules: [hostIsRouter],
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`Delete ${kind} ${host.name}?`}
      consequence={`${host.name} is disconnected immediately and ${host.ipAddresses.join(", ")} becomes available for other hosts. You can’t undo this.`}
      confirmLabel="Delete"
      typedName={host.name}
      pending={isPending}
      error={rejectionOf(error)}
      onClose={close}
      onConfirm={() => mutate({ params: { hostID: host.id } })}
    />
  );
}
