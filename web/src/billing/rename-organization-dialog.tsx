import { OrganizationUpdate, updateOrganization } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { Navigate } from "react-router";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { DialogForm } from "../lib/dialog-form.tsx";
import { may } from "../lib/may.ts";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Field, TextInput } from "../ui/field.tsx";
import { toast } from "../ui/toast.ts";
import { BILLING_PATH } from "./billing-paths.ts";
import { useCloseDialog } from "./close-dialog.ts";

export function Component() {
  const { data: person } = useCurrentUser();
  if (!person) return null;
  if (!may(person, updateOrganization)) return <Navigate to={BILLING_PATH} replace />;
  return <RenameOrganization organization={person.organization} />;
}

const checkName = (name: string) =>
  OrganizationUpdate.safeParse({ name }).success || "Give it a name of 1 to 255 characters.";

function RenameOrganization({ organization: { id, name } }: Pick<Person, "organization">) {
  usePageTitle("Rename organization");
  const close = useCloseDialog();
  const form = useForm({ defaultValues: { name } });
  const { mutateAsync: update } = useWrite(updateOrganization, { invalidates: ["auth"] });
  async function save(values: { name: string }) {
    const saved = await update({ params: { organizationID: id }, body: values });
    toast(`The organization is now called ${saved.name}`, { tone: "ok" });
    close();
  }
  return (
    <DialogForm
      form={form}
      title="Rename organization"
      description="Invitations and mails show the name. Nothing else depends on it."
      submitLabel="Rename"
      save={save}
      onClose={close}
    >
      <Field label="Name" error={form.formState.errors.name?.message}>
        <TextInput
          {...form.register("name", { validate: checkName })}
          autoComplete="organization"
          dir="auto"
        />
      </Field>
    </DialogForm>
  );
}
