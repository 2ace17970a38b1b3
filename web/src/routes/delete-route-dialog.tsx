import { deleteRoute, type Route } from "@lightkeeper/contract";
import { rejectionOf } from "../on-demand/dependents.tsx";
import { useWrite } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";

interface DeleteRouteDialogProps {
  route: Pick<Route, "id" | "name" | "routableCIDRs">;
  onClose: () => void;
  onDeleted: () => unknown;
}

/** The default export is for `lazy()`. */
export default function DeleteRouteDialog({ route, onClose, onDeleted }: DeleteRouteDialogProps) {
  const { id, name, routableCIDRs } = route;
  const { mutate, isPending, error } = useWrite(deleteRoute, {
    invalidates: ["tags"],
    onSuccess: async () => {
      toast(`Route ${name} deleted`, { tone: "ok" });
      await onDeleted();
    },
    rules: [],
  });
  const subnets = Object.keys(routableCIDRs).join(", ") || "the subnets behind its router";
  return (
    <ConfirmDialog
      open
      danger
      title={
        <>
          Delete route <bdi>{name}</bdi>?
        </>
      }
      consequence={`Hosts with this route can no longer reach ${subnets}. You can’t undo this.`}
      confirmLabel="Delete route"
      typedName={name}
      pending={isPending}
      error={rejectionOf(error)}
      onClose={onClose}
      onConfirm={() => mutate({ params: { routeID: id } })}
    />
  );
}
