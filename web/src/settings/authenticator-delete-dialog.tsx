import { deleteTotpAuthenticator, type TotpAuthenticator } from "@lightkeeper/contract";
import { messageOf } from "../lib/errors.ts";
import { lastAuthenticator } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { USER_SETTINGS_PATH } from "../references/settings-paths.ts";
import { useAuthenticator } from "./use-authenticator.ts";

export function AuthenticatorDeleteDialog() {
  const authenticator = useAuthenticator();
  return authenticator && <DeleteAuthenticator authenticator={authenticator} />;
}

function DeleteAuthenticator({ authenticator: { id, name } }: { authenticator: TotpAuthenticator }) {
  usePageTitle(`Delete ${name}`);
  const close = useCloseDialog(USER_SETTINGS_PATH);
  const renew = useRenewal();
  const { mutate, isPending, error } = useWrite(deleteTotpAuthenticator, {
    onSuccess: () => {
      toast(`Authenticator ${name} deleted`, { tone: "ok" });
      close();
    },
    rules: [lastAuthenticator],
    onError: renew,
  });
  return (
    <ConfirmDialog
      open
      danger
      title={`Delete authenticator ${name}?`}
      consequence="You can’t log in with codes from this authenticator anymore. Remove the entry from the app as well."
      confirmLabel="Delete authenticator"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate({ params: { totpID: id } })}
    />
  );
}
