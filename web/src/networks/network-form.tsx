import { NetworkV2Create, type NetworkV2 } from "@lightkeeper/contract";
import { useForm, type UseFormReturn } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { validateWith } from "../forms/name-fields.tsx";
import { descriptionMessage, longNameMessage } from "../forms/length-messages.ts";
import { networkNameTaken } from "../lib/messages.ts";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";
import { cidrRule } from "./cidr-picker.tsx";
import { AddressFields, CurveField } from "./network-address-fields.tsx";
import { NETWORKS_PATH } from "../references/network-link.tsx";
import { emptyNetwork, mapNetworkErrors, toValues, type NetworkValues } from "./network-values.ts";

interface NetworkFormProps {
  /** The network to edit; omit it to create one. */
  network?: NetworkV2;
  submitLabel: string;
  save: (values: NetworkValues) => Promise<unknown>;
}

const rules = [networkNameTaken, cidrRule("ipv4Cidr"), cidrRule("ipv6Cidr")];

export function NetworkForm({ network, submitLabel, save }: NetworkFormProps) {
  const latest = network && toValues(network);
  const form = useForm<NetworkValues>({ defaultValues: latest ?? emptyNetwork });
  async function saveOrMapErrors(values: NetworkValues) {
    try {
      await save(values);
    } catch (error) {
      throw mapNetworkErrors(error, values);
    }
  }
  return (
    <EditForm
      form={form}
      noun="network"
      latest={latest}
      save={saveOrMapErrors}
      rules={rules}
      submitLabel={submitLabel}
      cancelTo={NETWORKS_PATH}
    >
      <NetworkFields form={form} isNew={!network} />
    </EditForm>
  );
}

const nameRules = validateWith(NetworkV2Create.shape.name, longNameMessage);
const descriptionRules = validateWith(NetworkV2Create.shape.description, descriptionMessage);

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
      {isNew && <AddressFields form={form} />}
      <Checkbox
        {...form.register("lighthousesAsRelays")}
        label="Use lighthouses as relays"
        hint="Lighthouses forward traffic between hosts that can’t connect directly."
        error={errors.lighthousesAsRelays?.message}
      />
      {isNew && <CurveField form={form} />}
    </>
  );
}
