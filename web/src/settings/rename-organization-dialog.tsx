import { OrganizationUpdate, updateOrganization } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { Navigate } from "react-router";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { DialogForm } from "../forms/dialog-form.tsx";
import { longNameMessage } from "../forms/length-messages.ts";
import { canCall } from "../lib/permissions.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { ORGANIZATION_PATH } from "../references/settings-paths.ts";

export function RenameOrganizationDialog() {
  const { data: person } = useCurrentUser();
  if (!person) return null;
  if (!canCall(person, updateOrganization)) return <Navigate to={ORGANIZATION_PATH} replace />;
  return <RenameOrganization organization={person.organization} />;
}

/** Pasted text can contain invisible characters. */
function validateName(name: string): true | string {
  if (OrganizationUpdate.safeParse({ name }).success) return true;
  const { length } = name.trim();
  return length > 0 && length <= 255
    ? "The name can’t contain line breaks, control characters or invisible characters."
    : longNameMessage;
}

function RenameOrganization({ organization: { id, name } }: Pick<Person, "organization">) {
  usePageTitle("Rename organization");
  const close = useCloseDialog(ORGANIZATION_PATH);
  const form = useForm({ defaultValues: { name } });
  const { mutateAsync: update } = useWrite(updateOrganization, { invalidates: ["auth"] });
  async function save(values: { name: string }) {
    const saved = await update({ params: { organizationID: id }, body: values });
    toast(`Organization renamed to ${saved.name}`, { tone: "ok" });
    close();
  }
  return (
    <DialogForm
      form={form}
      title="Rename organization"
      description="The name appears in the console, in invitations and in emails. The organization ID stays the same."
      submitLabel="Rename"
      save={save}
      onClose={close}
    >
      <Field label="Name" error={form.formState.errors.name?.message}>
        <TextInput
          {...form.register("name", { validate: validateName })}
          autoComplete="organization"
          dir="auto"
        />
      </Field>
    </DialogForm>
  );
}
