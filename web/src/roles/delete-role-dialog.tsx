import { deleteRole, type Role } from "@lightkeeper/contract";
import { refusalOf } from "../lib/dependents.tsx";
import { formatCount } from "../lib/format.ts";
import { roleHasDependents } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { toast } from "../ui/toast.ts";

interface DeleteRoleDialogProps {
  role: Role;
  onClose: () => void;
  onDeleted: () => unknown;
}

/** The default export is for `lazy()`. */
export default function DeleteRoleDialog({ role, onClose, onDeleted }: DeleteRoleDialogProps) {
  const { mutate, isPending, error } = useWrite(deleteRole, {
    onSuccess: async () => {
      toast(`Role ${role.name} deleted`, { tone: "ok" });
      await onDeleted();
    },
    rules: [roleHasDependents],
  });
  const rules = formatCount(role.firewallRules.length, "rule");
  return (
    <ConfirmDialog
      open
      danger
      title={
        <>
          Delete role <bdi>{role.name}</bdi>?
        </>
      }
      consequence={`It and its ${rules} are gone for good. A role in use is not deleted.`}
      confirmLabel="Delete role"
      pending={isPending}
      error={refusalOf(error)}
      onClose={onClose}
      onConfirm={() => mutate({ params: { roleID: role.id } })}
    />
  );
}
