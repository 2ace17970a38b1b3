import { deleteOrganization } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { Navigate } from "react-router";
import { useCurrentUser, type Person } from "../lib/current-user.ts";
import { DialogForm } from "../forms/dialog-form.tsx";
import { canCall } from "../lib/permissions.ts";
import { billingInvalidState } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { signOut } from "../lib/session.ts";
import { usePageTitle } from "../lib/title.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { ORGANIZATION_PATH } from "../references/settings-paths.ts";
import styles from "./settings.module.css";

export function DeleteOrganizationDialog() {
  const { data: person } = useCurrentUser();
  if (!person) return null;
  if (!canCall(person, deleteOrganization)) return <Navigate to={ORGANIZATION_PATH} replace />;
  return <DeleteOrganization organization={person.organization} />;
}

function DeleteOrganization({ organization: { id, name } }: Pick<Person, "organization">) {
  usePageTitle("Delete organization");
  const close = useCloseDialog(ORGANIZATION_PATH);
  const form = useForm({ defaultValues: { typed: "" } });
  const { mutateAsync: remove } = useWrite(deleteOrganization);
  async function save() {
    await remove({ params: { organizationID: id } });
    await signOut("/deleted-account");
  }
  return (
    <DialogForm
      form={form}
      danger
      title={`Delete ${name}?`}
      description="Permanently deletes all networks, hosts, roles, keys and members, and logs everyone out. Hosts lose their tunnels when their certificates expire. You can’t undo this."
      submitLabel="Delete organization"
      save={save}
      rules={[billingInvalidState]}
      onClose={close}
    >
      <Field
        label={
          <>
            Type <strong className={styles.name}>{name}</strong> to confirm
          </>
        }
        error={form.formState.errors.typed?.message}
      >
        <TextInput
          {...form.register("typed", {
            validate: (typed) => typed.trim() === name || "Enter the organization’s exact name.",
          })}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
    </DialogForm>
  );
}
