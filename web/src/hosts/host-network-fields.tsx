/** What can't be changed after a host is created: its network and its addresses. */
import type { NetworkV2 } from "@lightkeeper/contract";
import { Controller, type UseFormReturn } from "react-hook-form";
import { addressFamilyOf, type AddressFamily } from "../lib/address-family.ts";
import { optionalIpv4Range } from "../on-demand/optional-ipv4-range.ts";
import { NetworkPicker } from "../pickers/network-picker.tsx";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { validateAddress } from "./host-validation.ts";
import type { HostValues } from "./host-values.ts";
import { cidrsOf } from "./network-cidrs.ts";

interface FieldsProps {
  form: UseFormReturn<HostValues>;
}

export function NetworkFields({ form, networks }: FieldsProps & { networks: readonly NetworkV2[] }) {
  const cidrs = cidrsOf(networks, form.watch("networkID"));
  const family = addressFamilyOf(cidrs?.[0] ?? "");
  return (
    <>
      <Controller
        control={form.control}
        name="networkID"
        rules={{ required: "Choose a network." }}
        render={({ field }) => (
          <NetworkPicker
            {...field}
            label="Network"
            error={form.formState.errors.networkID?.message}
            hint="Hosts can only reach hosts in the same network. You can’t change this later."
          />
        )}
      />
      {optionalIpv4Range(cidrs ?? []) ? (
        <BothAddressFields form={form} cidrs={cidrs} />
      ) : (
        <AddressField key={family} form={form} family={family} label="Address" cidrs={cidrs} />
      )}
    </>
  );
}

interface AddressFieldsProps extends FieldsProps {
  /** Undefined until a network is chosen. */
  cidrs: readonly string[] | undefined;
}

function BothAddressFields({ form, cidrs }: AddressFieldsProps) {
  return (
    <>
      <Checkbox
        {...form.register("assignIpv4")}
        label="Assign an IPv4 address"
        hint="Every host in this network gets an IPv6 address. Two hosts can use IPv4 only if both have an IPv4 address."
      />
      {form.watch("assignIpv4") && (
        <AddressField form={form} family="IPv4" label="IPv4 address" cidrs={cidrs} />
      )}
      <AddressField form={form} family="IPv6" label="IPv6 address" cidrs={cidrs} />
    </>
  );
}

interface AddressFieldProps extends AddressFieldsProps {
  family: AddressFamily;
  label: string;
}

const fieldNames = { IPv4: "ipv4Address", IPv6: "ipv6Address" } as const;

function AddressField({ form, family, label, cidrs }: AddressFieldProps) {
  const name = fieldNames[family];
  return (
    <Field
      label={label}
      optional
      error={form.formState.errors[name]?.message}
      hint="Leave empty to use the next free address, or enter a range to use a free address in it. You can’t change this later."
    >
      <TextInput
        {...form.register(name, { validate: (text) => validateAddress(text, cidrs) })}
        mono
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
    </Field>
  );
}
