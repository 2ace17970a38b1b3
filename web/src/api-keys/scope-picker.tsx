import type { Scope } from "@lightkeeper/contract";
import { useId } from "react";
import { Button } from "../ui/controls/button.tsx";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { FieldDescription } from "../ui/forms/field.tsx";
import { hasSameScopes, presets, type ScopeGroup, scopeGroups } from "./scope-labels.ts";
import styles from "./api-keys.module.css";

interface ScopePickerProps {
  value: readonly Scope[];
  onChange: (scopes: Scope[]) => void;
  error: string | undefined;
}

/** The scopes of a key, grouped by noun, with presets for common choices. */
export function ScopePicker({ value, onChange, error }: ScopePickerProps) {
  const id = useId();
  const set = (scopes: readonly Scope[], isOn: boolean) => {
    const others = value.filter((scope) => !scopes.includes(scope));
    onChange(isOn ? [...others, ...scopes] : others);
  };
  return (
    <fieldset className={styles.scopes} aria-describedby={id}>
      <legend className={styles.legend}>Scopes</legend>
      <div className={styles.presets}>
        {presets.map(({ label, scopes }) => (
          <Button
            key={label}
            size="small"
            aria-pressed={hasSameScopes(scopes, value)}
            onClick={() => onChange([...scopes])}
          >
            {label}
          </Button>
        ))}
        <Button size="small" variant="quiet" disabled={value.length === 0} onClick={() => onChange([])}>
          Clear
        </Button>
      </div>
      <div className={styles.groups}>
        {scopeGroups.map((group) => (
          <Group key={group.noun} group={group} value={value} onSet={set} />
        ))}
      </div>
      <FieldDescription
        id={id}
        hint="API keys can’t manage members, billing, single sign-on or other API keys."
        error={error}
      />
    </fieldset>
  );
}

interface GroupProps {
  group: ScopeGroup;
  value: readonly Scope[];
  onSet: (scopes: readonly Scope[], isOn: boolean) => void;
}

function Group({ group: { label, scopes }, value, onSet }: GroupProps) {
  const all = scopes.map(({ scope }) => scope);
  const hasAll = all.every((scope) => value.includes(scope));
  return (
    <div role="group" aria-label={label} className={styles.group}>
      <div className={styles.groupHead}>
        <span className={styles.noun}>{label}</span>
        {all.length > 1 && (
          <Button
            size="small"
            variant="quiet"
            aria-label={hasAll ? `Clear all scopes of ${label}` : `Select all scopes of ${label}`}
            onClick={() => onSet(all, !hasAll)}
          >
            {hasAll ? "None" : "All"}
          </Button>
        )}
      </div>
      <div className={styles.verbs}>
        {scopes.map(({ scope, label: verb }) => (
          <Checkbox
            key={scope}
            label={verb}
            title={scope}
            checked={value.includes(scope)}
            onChange={({ currentTarget }) => onSet([scope], currentTarget.checked)}
          />
        ))}
      </div>
    </div>
  );
}
