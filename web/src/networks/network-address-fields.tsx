/** What can only be chosen when a network is created. */
import type { UseFormReturn } from "react-hook-form";
import { curveLabels } from "../on-demand/certificate-labels.ts";
import { Field, Select } from "../ui/forms/field.tsx";
import { RadioCard, RadioGroup } from "../ui/forms/radio-group.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { CidrPicker, requireIpv4Cidr, validateFamily } from "./cidr-picker.tsx";
import type { AddressChoice, NetworkValues } from "./network-values.ts";

const choices: Readonly<Record<AddressChoice, { label: string; description: string }>> = {
  ipv4: { label: "IPv4", description: "Works with every version of Nebula." },
  ipv6: {
    label: "IPv6",
    description: "Needs Nebula 1.10 or newer on every host. You can add an IPv4 range later.",
  },
  both: {
    label: "IPv4 and IPv6",
    description:
      "Needs Nebula 1.10 or newer on every host. Every host gets an IPv6 address. You choose which hosts also get an IPv4 address.",
  },
};
const choiceNames = Object.keys(choices) as AddressChoice[];

type NetworkFormState = UseFormReturn<NetworkValues>;

/** Without a CIDR, a network with version 2 certificates has no IPv4 addresses. */
const validateIpv4Cidr = (text: string, { addresses }: NetworkValues) =>
  addresses === "both" ? requireIpv4Cidr(text) : validateFamily(text, "IPv4");

export function AddressFields({ form }: { form: NetworkFormState }) {
  const { errors } = form.formState;
  const addresses = form.watch("addresses");
  const isBoth = addresses === "both";
  return (
    <>
      <RadioGroup label="Addresses" error={errors.addresses?.message}>
        {choiceNames.map((choice) => (
          <RadioCard key={choice} {...form.register("addresses")} value={choice} {...choices[choice]} />
        ))}
      </RadioGroup>
      {addresses !== "ipv6" && (
        <CidrPicker
          label={isBoth ? "IPv4 CIDR" : undefined}
          required={isBoth}
          registration={form.register("ipv4Cidr", { validate: validateIpv4Cidr })}
          value={form.watch("ipv4Cidr")}
          error={errors.ipv4Cidr?.message}
        />
      )}
      {addresses !== "ipv4" && (
        <CidrPicker
          label={isBoth ? "IPv6 CIDR" : undefined}
          family="IPv6"
          registration={form.register("ipv6Cidr", { validate: (text) => validateFamily(text, "IPv6") })}
          value={form.watch("ipv6Cidr")}
          error={errors.ipv6Cidr?.message}
        />
      )}
    </>
  );
}

export function CurveField({ form }: { form: NetworkFormState }) {
  const { errors } = form.formState;
  const isP256 = form.watch("curve") === "P256";
  return (
    <FormSection title="Advanced">
      <Field
        label="Curve"
        error={errors.curve?.message}
        hint={
          isP256
            ? "For environments that require FIPS 140. Needs Nebula 1.7 or newer on every host. You can’t change this later."
            : "The default. Works with every version of Nebula. You can’t change this later."
        }
      >
        <Select {...form.register("curve")}>
          <option value="25519">{curveLabels["25519"]}</option>
          <option value="P256">{curveLabels.P256} (FIPS)</option>
        </Select>
      </Field>
    </FormSection>
  );
}
