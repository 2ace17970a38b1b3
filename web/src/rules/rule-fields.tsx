import { DESCRIPTION_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { descriptionMessage } from "../forms/length-messages.ts";
import { RolePicker } from "../pickers/role-picker.tsx";
import { TagPicker } from "../pickers/tag-picker.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { PortPicker } from "./port-picker.tsx";
import { addressFamilyOf } from "../lib/address-family.ts";
import { ALL_IPV6_SUBNETS, ALL_SUBNETS, portsProblem, rangesOf, type WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";
import type { Service } from "./services.ts";

interface RuleFieldsProps {
  index: number;
  /** The subnets of a route to choose from; omit them for rules of roles and tags. */
  subnets?: readonly string[] | undefined;
}

const protocols = { TCP: "TCP", UDP: "UDP", ICMP: "ICMP (ping)", ANY: "Any" } as const;

export function RuleFields({ index, subnets }: RuleFieldsProps) {
  const form = useFormContext<WithRules>();
  const errors = form.formState.errors.firewallRules?.[index];
  return (
    <div className={styles.fields}>
      <TrafficFields index={index} />
      <SourceFields index={index} />
      {subnets && <SubnetField index={index} subnets={subnets} />}
      <Field label="Description" optional error={errors?.description?.message}>
        <TextInput
          {...form.register(`firewallRules.${index}.description`, {
            maxLength: { value: DESCRIPTION_LENGTH_MAX, message: descriptionMessage },
          })}
          autoComplete="off"
          dir="auto"
        />
      </Field>
    </div>
  );
}

function SubnetField({ index, subnets }: { index: number; subnets: readonly string[] }) {
  const form = useFormContext<WithRules>();
  const name = `firewallRules.${index}.localCIDR` as const;
  const chosen = useWatch<WithRules, typeof name>({ name });
  return (
    <Field label="To subnet" error={form.formState.errors.firewallRules?.[index]?.localCIDR?.message}>
      <Select {...form.register(name)}>
        <option value={ALL_SUBNETS}>All subnets of the route</option>
        {(hasIpv6(subnets) || chosen === ALL_IPV6_SUBNETS) && (
          <option value={ALL_IPV6_SUBNETS}>All IPv6 subnets of the route</option>
        )}
        {subnetOptions(subnets, chosen).map((cidr) => (
          <option key={cidr}>{cidr}</option>
        ))}
      </Select>
    </Field>
  );
}

const hasIpv6 = (subnets: readonly string[]) => subnets.some((subnet) => addressFamilyOf(subnet) === "IPv6");

const allSubnets = new Set([ALL_SUBNETS, ALL_IPV6_SUBNETS, ""]);

/** Includes the current choice, which can be a part of a subnet or one that the route no longer has. */
const subnetOptions = (subnets: readonly string[], chosen: string) =>
  [...new Set([...subnets, chosen])].filter((cidr) => !allSubnets.has(cidr));

function TrafficFields({ index }: { index: number }) {
  const form = useFormContext<WithRules>();
  const rule = useWatch<WithRules, `firewallRules.${number}`>({ name: `firewallRules.${index}` });
  const { field, fieldState } = useController<WithRules, `firewallRules.${number}.ports`>({
    name: `firewallRules.${index}.ports`,
    rules: { validate: (_, { firewallRules }) => portsProblem(firewallRules[index]!) ?? true },
  });
  const protocol = form.register(`firewallRules.${index}.protocol`, {
    deps: [`firewallRules.${index}.ports`],
  });
  const ruleCount = rangesOf(rule).length;
  function adoptProtocol({ protocols: serviceProtocols }: Service) {
    if (rule.protocol === "ANY" || serviceProtocols.some((protocol) => protocol === rule.protocol)) return;
    form.setValue(`firewallRules.${index}.protocol`, serviceProtocols[0]!, { shouldDirty: true });
  }
  return (
    <>
      <Field label="Protocol" error={form.formState.errors.firewallRules?.[index]?.protocol?.message}>
        <Select {...protocol}>
          {Object.entries(protocols).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="Ports"
        hint={ruleCount > 1 ? `Creates ${ruleCount} rules, one for each port or range.` : undefined}
        error={fieldState.error?.message}
      >
        {rule.protocol === "ICMP" ? (
          <TextInput value="ICMP has no ports" disabled />
        ) : (
          <PortPicker {...field} onService={adoptProtocol} />
        )}
      </Field>
    </>
  );
}

function SourceFields({ index }: { index: number }) {
  const role = useController<WithRules, `firewallRules.${number}.allowedRoleID`>({
    name: `firewallRules.${index}.allowedRoleID`,
  });
  const tags = useController<WithRules, `firewallRules.${number}.allowedTags`>({
    name: `firewallRules.${index}.allowedTags`,
  });
  return (
    <>
      <RolePicker {...role.field} label="From role" none="Any role" error={role.fieldState.error?.message} />
      <TagPicker
        {...tags.field}
        label="With tags"
        placeholder="Any tags"
        error={tags.fieldState.error?.message}
      />
    </>
  );
}
