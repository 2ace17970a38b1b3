import { updateMember, type Member, type MemberRole } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { DialogForm } from "../forms/dialog-form.tsx";
import { lastOwner } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { memberRoleLabels } from "../references/member-role-labels.ts";
import { OwnersOnly } from "./owners-only.tsx";
import { RoleChoice } from "./role-choice.tsx";
import { WithMember } from "./with-member.tsx";
import { MEMBERS_PATH } from "../references/settings-paths.ts";

export function MemberEditDialog() {
  return (
    <OwnersOnly title="Change role">
      <WithMember>{(member) => <EditMember key={member.id} member={member} />}</WithMember>
    </OwnersOnly>
  );
}

function EditMember({ member: { id, email, role } }: { member: Member }) {
  usePageTitle(`Edit ${email}`);
  const close = useCloseDialog(MEMBERS_PATH);
  const form = useForm<{ role: MemberRole }>({ defaultValues: { role } });
  // People can change their own role, which affects what the console offers.
  const { mutateAsync: update } = useWrite(updateMember, { invalidates: ["auth"] });

  async function save(values: { role: MemberRole }) {
    await update({ params: { memberID: id }, body: { role: values.role } });
    toast(`${email} is now ${memberRoleLabels[values.role].label.toLowerCase()}`, { tone: "ok" });
    close();
  }

  return (
    <DialogForm
      form={form}
      title={
        <>
          Change the role of <bdi>{email}</bdi>
        </>
      }
      description="The new role takes effect immediately."
      submitLabel="Change role"
      save={save}
      rules={[lastOwner]}
      onClose={close}
    >
      <RoleChoice form={form} name="role" error={form.formState.errors.role?.message} />
    </DialogForm>
  );
}
