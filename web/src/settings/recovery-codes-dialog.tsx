import { createRecoveryCodes } from "@lightkeeper/contract";
import { useState } from "react";
import { RecoveryCodes } from "../on-demand/recovery-codes.tsx";
import { useAskBeforeUnload } from "../forms/leave-guard.tsx";
import { messageOf } from "../lib/errors.ts";
import { useWrite } from "../lib/query.ts";
import { useRenewal } from "../lib/renewal.ts";
import { usePageTitle } from "../lib/title.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { USER_SETTINGS_PATH } from "../references/settings-paths.ts";
import { Button } from "../ui/controls/button.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";

export function RecoveryCodesDialog() {
  usePageTitle("Generate new recovery codes");
  const close = useCloseDialog(USER_SETTINGS_PATH);
  const { mutate, data, isPending, error } = useWrite(createRecoveryCodes, { onError: useRenewal() });
  if (data) return <NewCodes codes={data.codes} onDone={close} />;
  return (
    <ConfirmDialog
      open
      title="Generate new recovery codes?"
      consequence="You get ten new codes, which are shown once. Your earlier codes stop working."
      confirmLabel="Generate new recovery codes"
      pending={isPending}
      error={error ? messageOf(error) : undefined}
      onClose={close}
      onConfirm={() => mutate()}
    />
  );
}

/** Stays open until the person confirms that the codes are saved, or leaves without them. */
function NewCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const [isLeaving, setLeaving] = useState(false);
  useAskBeforeUnload(true);
  return (
    <Dialog
      open
      alert
      title="Your new recovery codes"
      onClose={() => setLeaving(true)}
      actions={
        <Button variant="primary" onClick={onDone}>
          I’ve saved them
        </Button>
      }
    >
      <RecoveryCodes codes={codes} />
      <ConfirmDialog
        open={isLeaving}
        danger
        title="Leave without the recovery codes?"
        consequence="You won’t be able to see these codes again, and your earlier codes don’t work anymore."
        confirmLabel="Leave"
        onClose={() => setLeaving(false)}
        onConfirm={onDone}
      />
    </Dialog>
  );
}
