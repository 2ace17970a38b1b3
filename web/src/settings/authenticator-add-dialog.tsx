import { useState } from "react";
import { useForm } from "react-hook-form";
import { AuthenticatorSetup } from "../auth/authenticator-setup.tsx";
import { DialogForm } from "../forms/dialog-form.tsx";
import { useDraft } from "../forms/draft.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { AuthenticatorNameField } from "./authenticator-name-field.tsx";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { USER_SETTINGS_PATH } from "../references/settings-paths.ts";

const TITLE = "Add authenticator";

/** Asks for the name first: the key is created with the name and can't be renamed while it is shown. */
export function AuthenticatorAddDialog() {
  usePageTitle(TITLE);
  const close = useCloseDialog(USER_SETTINGS_PATH);
  const form = useForm({ defaultValues: { name: "" } });
  const renew = useRenewal(useDraft(form, "dialog"));
  const [name, setName] = useState<string>();

  if (name === undefined)
    return (
      <DialogForm
        form={form}
        title={TITLE}
        description="Use the device’s name, so you know which one to remove if you lose it."
        submitLabel="Continue"
        save={async (values) => setName(values.name.trim())}
        onClose={close}
      >
        <AuthenticatorNameField form={form} />
      </DialogForm>
    );
  return (
    <Dialog
      open
      title={TITLE}
      description="Scan this code with your authenticator app, then enter the 6-digit code."
      onClose={close}
    >
      <AuthenticatorSetup
        name={name}
        onError={renew}
        onDone={(authenticator) => {
          toast(`Authenticator ${authenticator.name} added`, { tone: "ok" });
          close();
        }}
      />
    </Dialog>
  );
}
