import { deleteRole, type Role } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { DeleteWithPreview } from "../preview/delete-with-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { formatCount } from "../lib/format.ts";
import { roleHasDependents } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { DetachPreview } from "../rules/detach-preview.tsx";
import { roleDependentsQuery } from "../rules/detach.queries.ts";
import { toast } from "../ui/feedback/toast.ts";

interface DeleteRoleDialogProps {
  role: Role;
  onClose: () => void;
  onDeleted: () => unknown;
}

const rules = [roleHasDependents, guaranteeViolated];

/** The default export is for `lazy()`. */
export default function DeleteRoleDialog({ role, onClose, onDeleted }: DeleteRoleDialogProps) {
  const dependents = useQuery(roleDependentsQuery(role.id));
  const { data } = dependents;
  const params = { roleID: role.id };
  const { mutate, isPending, error } = useWrite(deleteRole, {
    onSuccess: async () => {
      toast(`Role ${role.name} deleted`, { tone: "ok" });
      await onDeleted();
    },
    // Something may have started to use the role since the preview.
    onError: () => void dependents.refetch(),
    rules,
    invalidates: ["hosts", "tags", "routes"],
  });
  const ruleCount = role.firewallRules.length;
  const subject = ruleCount === 0 ? "The role" : `The role and its ${formatCount(ruleCount, "rule")}`;
  return (
    <DeleteWithPreview
      noun="role"
      name={role.name}
      consequence={`${subject} will be permanently deleted.`}
      dependents={dependents}
      preview={data && <DetachPreview noun="role" filter={{ roleID: role.id }} dependents={data} />}
      mutations={mutationsOf(deleteRole, { params, query: { detach: true } })}
      pending={isPending}
      error={error}
      rules={rules}
      onClose={onClose}
      onConfirm={(isDetached) => mutate({ params, ...(isDetached && { query: { detach: true } }) })}
    />
  );
}
