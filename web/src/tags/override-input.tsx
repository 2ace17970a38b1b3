import { isOverrideKey, OVERRIDE_KINDS, type OverrideKind } from "@lightkeeper/nebula";
import { NumberInput, Select, TextInput } from "../ui/forms/field.tsx";
import { AllowListInput } from "./allow-list-input.tsx";
import { RangesInput } from "./ranges-input.tsx";
import { overrideLabels } from "./override-labels.ts";

export interface OverrideInputProps {
  overrideKey: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** The control for a setting, inside a Field. */
export function OverrideInput({ overrideKey, value, onChange }: OverrideInputProps) {
  if (!isOverrideKey(overrideKey)) return <TextInput mono readOnly value={JSON.stringify(value)} />;
  const kind: OverrideKind = OVERRIDE_KINDS[overrideKey];
  switch (kind.kind) {
    case "boolean":
      return <BooleanInput value={value} onChange={onChange} />;
    case "integer":
      return (
        <NumberInput
          min={kind.min}
          max={kind.max}
          value={typeof value === "number" ? value : ""}
          onChange={({ currentTarget }) =>
            onChange(Number.isNaN(currentTarget.valueAsNumber) ? "" : currentTarget.valueAsNumber)
          }
        />
      );
    case "choice":
      return (
        <Select value={String(value)} onChange={(event) => onChange(event.currentTarget.value)}>
          {kind.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      );
    case "text":
      return (
        <TextInput
          mono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder={overrideLabels[overrideKey].example}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "networks":
      return <RangesInput value={value} onChange={onChange} />;
    case "allowList":
      return <AllowListInput value={value} onChange={onChange} hasInterfaces={kind.hasInterfaces} />;
  }
}

function BooleanInput({ value, onChange }: Omit<OverrideInputProps, "overrideKey">) {
  return (
    <Select
      value={value === true ? "on" : "off"}
      onChange={(event) => onChange(event.currentTarget.value === "on")}
    >
      <option value="on">On</option>
      <option value="off">Off</option>
    </Select>
  );
}
