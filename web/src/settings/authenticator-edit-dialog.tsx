import { updateTotpAuthenticator, type TotpAuthenticator } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { DialogForm } from "../forms/dialog-form.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { toast } from "../ui/feedback/toast.ts";
import { AuthenticatorNameField } from "./authenticator-name-field.tsx";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { USER_SETTINGS_PATH } from "../references/settings-paths.ts";
import { useAuthenticator } from "./use-authenticator.ts";

export function AuthenticatorEditDialog() {
  const authenticator = useAuthenticator();
  return authenticator && <EditAuthenticator key={authenticator.id} authenticator={authenticator} />;
}

function EditAuthenticator({ authenticator: { id, name } }: { authenticator: TotpAuthenticator }) {
  usePageTitle(`Edit ${name}`);
  const close = useCloseDialog(USER_SETTINGS_PATH);
  const form = useForm({ defaultValues: { name } });
  const { mutateAsync: update } = useWrite(updateTotpAuthenticator);

  async function save(values: { name: string }) {
    const saved = await update({ params: { totpID: id }, body: { name: values.name.trim() } });
    toast(`Authenticator ${saved.name} saved`, { tone: "ok" });
    close();
  }

  return (
    <DialogForm
      form={form}
      title={
        <>
          Edit <bdi>{name}</bdi>
        </>
      }
      submitLabel="Save"
      save={save}
      onClose={close}
    >
      <AuthenticatorNameField form={form} />
    </DialogForm>
  );
}
