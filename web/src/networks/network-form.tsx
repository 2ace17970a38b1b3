import { NetworkCreate, type Network } from "@lightkeeper/contract";
import { useForm, type UseFormReturn } from "react-hook-form";
import { handleFormError, reword } from "../lib/errors.ts";
import { networkNameTaken } from "../lib/messages.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { Checkbox } from "../ui/checkbox.tsx";
import { Field, TextArea, TextInput } from "../ui/field.tsx";
import { Form } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { CidrPicker, cidrRules } from "./cidr-picker.tsx";
import { useDraft } from "./draft.ts";
import { LeaveGuard } from "./leave-guard.tsx";
import { emptyNetwork, toValues, type NetworkValues } from "./network-values.ts";
import styles from "./networks.module.css";

interface NetworkFormProps {
  /** As last heard from the server; without it the form makes a new one. */
  network?: Network;
  submitLabel: string;
  save: (values: NetworkValues) => Promise<unknown>;
}

export function NetworkForm({ network, submitLabel, save }: NetworkFormProps) {
  const latest = network ? toValues(network) : emptyNetwork;
  const form = useForm<NetworkValues>({ defaultValues: latest });
  const { errors, isDirty, isSubmitting } = form.formState;
  useDraft(form);

  const saveOrSay = form.handleSubmit(async (values) => {
    try {
      await save(values);
    } catch (error) {
      handleFormError(reword(error, [networkNameTaken, ...cidrRules]), form);
    }
  });

  return (
    <>
      <Form className={styles.form} pending={isSubmitting} onSubmit={() => void saveOrSay()}>
        <ChangedMeanwhile form={form} latest={latest} />
        <NetworkFields form={form} isNew={!network} />
        {errors.root?.message && <Notice tone="danger">{errors.root.message}</Notice>}
        <div className={styles.actions}>
          <Button type="submit" variant="primary" pending={isSubmitting}>
            {submitLabel}
          </Button>
          <LinkButton to="/settings/networks" variant="quiet">
            Cancel
          </LinkButton>
        </div>
      </Form>
      <LeaveGuard isDirty={isDirty} />
    </>
  );
}

const refusedBy = (field: keyof typeof NetworkCreate.shape, message: string) => ({
  validate: (value: string) => NetworkCreate.shape[field].safeParse(value).success || message,
});
const nameRules = refusedBy("name", "Give it a name of 1 to 255 characters.");
const descriptionRules = refusedBy("description", "255 characters at most.");

function NetworkFields({ form, isNew }: { form: UseFormReturn<NetworkValues>; isNew: boolean }) {
  const { errors } = form.formState;
  return (
    <>
      <Field label="Name" error={errors.name?.message}>
        <TextInput {...form.register("name", nameRules)} autoComplete="off" autoFocus={isNew} />
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...form.register("description", descriptionRules)} rows={2} />
      </Field>
      {isNew && (
        <CidrPicker
          registration={form.register("cidr")}
          value={form.watch("cidr")}
          error={errors.cidr?.message}
        />
      )}
      <Checkbox
        {...form.register("lighthousesAsRelays")}
        label="Lighthouses also relay"
        hint="Hosts that cannot reach one another directly then talk through a lighthouse."
        error={errors.lighthousesAsRelays?.message}
      />
    </>
  );
}
