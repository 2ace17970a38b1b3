import { useController, useFormContext, useWatch } from "react-hook-form";
import { RolePicker } from "../references/role-picker.tsx";
import { TagPicker } from "../references/tag-picker.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { PortInput } from "./port-input.tsx";
import { EVERY_NETWORK, portsFault, rangesOf, type WithRules } from "./rule-values.ts";
import styles from "./rules.module.css";
import type { Service } from "./services.ts";

interface RuleFieldsProps {
  index: number;
  /** A route's networks, to choose from; left out for rules of roles and tags. */
  networks?: readonly string[] | undefined;
}

const DESCRIPTION_LENGTH_MAX = 255;
const protocols = { TCP: "TCP", UDP: "UDP", ICMP: "ICMP (ping)", ANY: "Any" } as const;

export function RuleFields({ index, networks }: RuleFieldsProps) {
  const form = useFormContext<WithRules>();
  const errors = form.formState.errors.firewallRules?.[index];
  return (
    <div className={styles.fields}>
      <Traffic index={index} />
      <Source index={index} />
      {networks && <Target index={index} networks={networks} />}
      <Field label="Description" optional error={errors?.description?.message}>
        <TextInput
          {...form.register(`firewallRules.${index}.description`, {
            maxLength: { value: DESCRIPTION_LENGTH_MAX, message: "255 characters at most." },
          })}
          autoComplete="off"
          dir="auto"
        />
      </Field>
    </div>
  );
}

function Target({ index, networks }: { index: number; networks: readonly string[] }) {
  const form = useFormContext<WithRules>();
  const name = `firewallRules.${index}.localCIDR` as const;
  const chosen = useWatch<WithRules, typeof name>({ name });
  return (
    <Field label="To network" error={form.formState.errors.firewallRules?.[index]?.localCIDR?.message}>
      <Select {...form.register(name)}>
        <option value={EVERY_NETWORK}>Every network of the route</option>
        {networksToChoose(networks, chosen).map((cidr) => (
          <option key={cidr}>{cidr}</option>
        ))}
      </Select>
    </Field>
  );
}

/** A rule may name a part of a network, or one that is no longer the route's. */
const networksToChoose = (networks: readonly string[], chosen: string) =>
  [...new Set([...networks, chosen])].filter((cidr) => cidr !== EVERY_NETWORK && cidr !== "");

function Traffic({ index }: { index: number }) {
  const form = useFormContext<WithRules>();
  const rule = useWatch<WithRules, `firewallRules.${number}`>({ name: `firewallRules.${index}` });
  const { field, fieldState } = useController<WithRules, `firewallRules.${number}.ports`>({
    name: `firewallRules.${index}.ports`,
    rules: { validate: (_, { firewallRules }) => portsFault(firewallRules[index]!) ?? true },
  });
  const protocol = form.register(`firewallRules.${index}.protocol`, {
    deps: [`firewallRules.${index}.ports`],
  });
  const makes = rangesOf(rule).length;
  function follow({ protocols: wanted }: Service) {
    if (rule.protocol === "ANY" || wanted.some((one) => one === rule.protocol)) return;
    form.setValue(`firewallRules.${index}.protocol`, wanted[0]!, { shouldDirty: true });
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
        hint={makes > 1 ? `Becomes ${makes} rules, one for each.` : undefined}
        error={fieldState.error?.message}
      >
        {rule.protocol === "ICMP" ? (
          <TextInput value="ICMP has no ports" disabled />
        ) : (
          <PortInput {...field} onService={follow} />
        )}
      </Field>
    </>
  );
}

function Source({ index }: { index: number }) {
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
