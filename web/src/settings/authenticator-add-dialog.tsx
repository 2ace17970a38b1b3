import { useState } from "react";
import { useForm } from "react-hook-form";
import { AuthenticatorSetup } from "../auth/authenticator-setup.tsx";
import { DialogForm } from "../lib/dialog-form.tsx";
import { useDraft } from "../lib/draft.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { AuthenticatorNameField } from "./authenticator-name-field.tsx";
import { useCloseDialog } from "./close-dialog.ts";
import { USER_SETTINGS_PATH } from "./settings-paths.ts";

const TITLE = "Add authenticator";

/** First what to call it, then the key: a key that has been shown is not asked for anew by going back. */
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
        description="Name it after where it is, so that you know which one to delete when it is gone."
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
      description="Scan this with your authenticator app, then enter the code it shows."
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
