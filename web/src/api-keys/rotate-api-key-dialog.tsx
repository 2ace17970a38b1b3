import { rotateApiKey, type ApiKey, type DataOf } from "@lightkeeper/contract";
import { DAY_SECONDS, HOUR_SECONDS } from "@lightkeeper/contract/durations";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useOutletContext } from "react-router";
import { DialogForm } from "../forms/dialog-form.tsx";
import { useAskBeforeUnload } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { useCloseDialog } from "../lib/use-close-dialog.ts";
import { Button } from "../ui/controls/button.tsx";
import { ConfirmDialog } from "../ui/overlays/confirm-dialog.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Field, Select } from "../ui/forms/field.tsx";
import { apiKeyPath } from "./api-key-link.tsx";
import { NewToken, leaveWithoutTokenTexts } from "./new-token.tsx";

type NewApiKey = DataOf<typeof rotateApiKey>;

const overlaps = [
  { seconds: 0, label: "Immediately" },
  { seconds: HOUR_SECONDS, label: "After 1 hour" },
  { seconds: DAY_SECONDS, label: "After 1 day" },
  { seconds: 7 * DAY_SECONDS, label: "After 7 days" },
  { seconds: 30 * DAY_SECONDS, label: "After 30 days" },
];

export function RotateApiKeyDialog() {
  const apiKey = useOutletContext<ApiKey>();
  usePageTitle(`Rotate ${apiKey.name}`);
  const close = useCloseDialog(apiKeyPath(apiKey.id));
  const form = useForm({ defaultValues: { overlapSeconds: String(DAY_SECONDS) } });
  const { mutateAsync: rotate } = useWrite(rotateApiKey);
  const [rotatedKey, setRotatedKey] = useState<NewApiKey>();

  if (rotatedKey) return <Rotated apiKey={rotatedKey} onDone={close} />;

  async function save({ overlapSeconds }: { overlapSeconds: string }) {
    setRotatedKey(
      await rotate({ params: { apiKeyID: apiKey.id }, body: { overlapSeconds: Number(overlapSeconds) } }),
    );
  }

  return (
    <DialogForm
      form={form}
      title={
        <>
          Rotate <bdi>{apiKey.name}</bdi>
        </>
      }
      description="Creates a new token, which is shown once. Name, scopes and expiry stay the same."
      submitLabel="Rotate"
      save={save}
      onClose={close}
    >
      <Field
        label="Old token expires"
        hint="Leave enough time to replace the token everywhere. A token from an earlier rotation stops working immediately."
        error={form.formState.errors.overlapSeconds?.message}
      >
        <Select {...form.register("overlapSeconds")}>
          {overlaps.map(({ seconds, label }) => (
            <option key={seconds} value={seconds}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </DialogForm>
  );
}

/** Stays open until the person confirms that the token is saved, or leaves without it. */
function Rotated({ apiKey, onDone }: { apiKey: NewApiKey; onDone: () => void }) {
  const [isLeaving, setLeaving] = useState(false);
  useAskBeforeUnload(true);
  return (
    <Dialog
      open
      alert
      size="large"
      title={
        <>
          New token for <bdi>{apiKey.name}</bdi>
        </>
      }
      onClose={() => setLeaving(true)}
      actions={
        <Button variant="primary" onClick={onDone}>
          I’ve saved it
        </Button>
      }
    >
      <NewToken apiKey={apiKey} />
      <ConfirmDialog
        {...leaveWithoutTokenTexts}
        open={isLeaving}
        danger
        confirmLabel="Leave"
        onClose={() => setLeaving(false)}
        onConfirm={onDone}
      />
    </Dialog>
  );
}
