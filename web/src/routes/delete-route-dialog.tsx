import { deleteRoute, type Route } from "@lightkeeper/contract";
import { useWrite } from "../lib/query.ts";
import { ConfirmWithPreview } from "../preview/confirm-with-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { toast } from "../ui/feedback/toast.ts";

interface DeleteRouteDialogProps {
  route: Pick<Route, "id" | "name" | "routableCIDRs">;
  onClose: () => void;
  onDeleted: () => unknown;
}

const rules = [guaranteeViolated];

/** The default export is for `lazy()`. */
export default function DeleteRouteDialog({ route, onClose, onDeleted }: DeleteRouteDialogProps) {
  const { id, name, routableCIDRs } = route;
  const call = { params: { routeID: id } };
  const { mutate, isPending, error } = useWrite(deleteRoute, {
    invalidates: ["tags"],
    onSuccess: async () => {
      toast(`Route ${name} deleted`, { tone: "ok" });
      await onDeleted();
    },
    rules,
  });
  const subnets = Object.keys(routableCIDRs).join(", ") || "the subnets behind its router";
  return (
    <ConfirmWithPreview
      danger
      title={
        <>
          Delete route <bdi>{name}</bdi>?
        </>
      }
      consequence={`Hosts with this route can no longer reach ${subnets}. You can’t undo this.`}
      confirmLabel="Delete route"
      mutations={mutationsOf(deleteRoute, call)}
      name={name}
      typedName={name}
      pending={isPending}
      error={error}
      rules={rules}
      onClose={onClose}
      onConfirm={() => mutate(call)}
    />
  );
}
