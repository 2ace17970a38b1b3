import { NetworkCreate, type Network } from "@lightkeeper/contract";
import { useForm, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../lib/edit-form.tsx";
import { networkNameTaken } from "../lib/messages.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";
import { CidrPicker, cidrRules } from "./cidr-picker.tsx";
import { NETWORKS_PATH } from "../references/network-link.tsx";
import { emptyNetwork, toValues, type NetworkValues } from "./network-values.ts";

interface NetworkFormProps {
  /** As last heard from the server; without it the form makes a new one. */
  network?: Network;
  submitLabel: string;
  save: (values: NetworkValues) => Promise<unknown>;
}

export function NetworkForm({ network, submitLabel, save }: NetworkFormProps) {
  const latest = network && toValues(network);
  const form = useForm<NetworkValues>({ defaultValues: latest ?? emptyNetwork });
  return (
    <EditForm
      form={form}
      noun="network"
      latest={latest}
      save={save}
      rules={[networkNameTaken, ...cidrRules]}
      submitLabel={submitLabel}
      cancelTo={NETWORKS_PATH}
    >
      <NetworkFields form={form} isNew={!network} />
    </EditForm>
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
