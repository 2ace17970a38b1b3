import { deleteHost, type HostV2 } from "@lightkeeper/contract";
import { useNavigate, useOutletContext } from "react-router";
import { refusalOf } from "../lib/dependents.tsx";
import { useWrite } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "./host-dialog.ts";
import { hostPath, kindOf } from "../references/host-link.tsx";
import { listAddress } from "./list-address.ts";

const routesSomething = {
  codes: ["ERR_HAS_DEPENDENTS"],
  message: "Routes lead through this host. Delete them, or give them another router, and try again.",
};

export function DeleteHostDialog() {
  const host = useOutletContext<HostV2>();
  const kind = kindOf(host);
  const navigate = useNavigate();
  const close = useCloseDialog(hostPath(host));
  const { mutate, isPending, error } = useWrite(deleteHost, {
    onSuccess: async () => {
      toast(`${host.name} deleted`, { tone: "ok" });
      await navigate(listAddress(kind), { replace: true });
    },
    rules: [routesSomething],
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`Delete ${kind} ${host.name}?`}
      consequence={`It is cut off at once and ${host.ipAddresses.join(", ")} becomes free for another host. This cannot be undone.`}
      confirmLabel="Delete"
      typedName={host.name}
      pending={isPending}
      error={refusalOf(error)}
      onClose={() => void close()}
      onConfirm={() => mutate({ params: { hostID: host.id } })}
    />
  );
}
