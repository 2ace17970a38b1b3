import { useController, useFormContext, useWatch } from "react-hook-form";
import { HostPicker } from "../pickers/host-picker.tsx";
import { RolePicker } from "../pickers/role-picker.tsx";
import { Field, Select, TextInput } from "../ui/forms/field.tsx";
import { cidrProblem, emptySelector, type GuaranteeValues, type SelectorType } from "./guarantee-values.ts";
import { capitalize } from "./guarantee-text.ts";
import styles from "./guarantee-form.module.css";
import { TagSelect } from "./tag-select.tsx";

type Place = "source" | "destination";

const typeLabels: Readonly<Record<SelectorType, string>> = {
  role: "hosts with role",
  tag: "hosts with tag",
  host: "host",
  any: "any host",
  subnet: "subnet",
};

const typesOf: Readonly<Record<Place, readonly SelectorType[]>> = {
  source: ["role", "tag", "host", "any"],
  destination: ["role", "tag", "host", "any", "subnet"],
};

const placeLabels: Readonly<Record<Place, string>> = { source: "Source", destination: "Destination" };

/** Who connects, or to whom: a type, and the object unless the type is "any host". */
export function SelectorFields({ place, autoFocus }: { place: Place; autoFocus?: boolean }) {
  const form = useFormContext<GuaranteeValues>();
  const type = useWatch<GuaranteeValues, `${Place}.type`>({ name: `${place}.type` });
  const isSource = place === "source";
  return (
    <div className={styles.selector}>
      <Field label={`${placeLabels[place]} type`}>
        <Select
          className={styles.word}
          value={type}
          autoFocus={autoFocus}
          onChange={(event) => {
            const next = event.currentTarget.value as SelectorType;
            form.clearErrors(place);
            form.setValue(place, { ...emptySelector, type: next }, { shouldDirty: true });
          }}
        >
          {typesOf[place].map((value) => (
            <option key={value} value={value}>
              {isSource ? capitalize(typeLabels[value]) : typeLabels[value]}
            </option>
          ))}
        </Select>
      </Field>
      {type !== "any" && (
        <div className={styles.object}>
          {type === "subnet" ? <SubnetField /> : <ObjectField key={type} place={place} type={type} />}
        </div>
      )}
    </div>
  );
}

const pickers = { role: RolePicker, tag: TagSelect, host: HostPicker } as const;

function ObjectField({ place, type }: { place: Place; type: keyof typeof pickers }) {
  const { field, fieldState } = useController<GuaranteeValues, `${Place}.id`>({
    name: `${place}.id`,
    rules: { validate: (id) => id !== null || `Choose a ${type}.` },
  });
  const networkID = useWatch<GuaranteeValues, "networkID">({ name: "networkID" });
  const Picker = pickers[type];
  return (
    <Picker
      {...field}
      {...(type === "host" && networkID && { networkID })}
      label={`${placeLabels[place]} ${type}`}
      placeholder={`Choose a ${type}`}
      error={fieldState.error?.message}
    />
  );
}

function SubnetField() {
  const form = useFormContext<GuaranteeValues>();
  const { error } = form.getFieldState("destination.cidr", form.formState);
  return (
    <Field label="Destination subnet" hint="An IPv4 or IPv6 subnet." error={error?.message}>
      <TextInput
        {...form.register("destination.cidr", { validate: (cidr) => cidrProblem(cidr) ?? true })}
        mono
        autoComplete="off"
        spellCheck={false}
        placeholder="10.0.8.0/22"
      />
    </Field>
  );
}
