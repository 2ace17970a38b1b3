import { inviteMember, MemberInvite, type MemberRole } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { DialogForm } from "../forms/dialog-form.tsx";
import { emailInvalid, memberAlready, tooManyRequests } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { OwnersOnly } from "./owners-only.tsx";
import { RoleChoice } from "./role-choice.tsx";
import { MEMBERS_PATH } from "../references/settings-paths.ts";

interface InviteValues {
  email: string;
  role: MemberRole;
}

const TITLE = "Invite member";
const emailRules = {
  validate: (email: string) =>
    MemberInvite.shape.email.safeParse(email).success || String(emailInvalid.message),
};

export function MemberInviteDialog() {
  usePageTitle(TITLE);
  return (
    <OwnersOnly title={TITLE}>
      <InviteMember />
    </OwnersOnly>
  );
}

function InviteMember() {
  const close = useCloseDialog(MEMBERS_PATH);
  const form = useForm<InviteValues>({ defaultValues: { email: "", role: "administrator" } });
  const { mutateAsync: invite } = useWrite(inviteMember);
  const { errors } = form.formState;

  async function save({ email, role }: InviteValues) {
    const invited = await invite({ body: { email: email.trim(), role } });
    toast(`Invitation sent to ${invited.email}`, { tone: "ok" });
    close();
  }

  return (
    <DialogForm
      form={form}
      title={TITLE}
      description="We’ll email an invitation link. It expires in 7 days."
      submitLabel="Send invitation"
      save={save}
      rules={[emailInvalid, memberAlready, tooManyRequests]}
      onClose={close}
    >
      <Field label="Email address" error={errors.email?.message}>
        <TextInput
          {...form.register("email", emailRules)}
          type="email"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          autoFocus
          placeholder="colleague@company.com"
        />
      </Field>
      <RoleChoice form={form} name="role" error={errors.role?.message} />
    </DialogForm>
  );
}
