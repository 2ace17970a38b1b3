import type { ConfigOverrides } from "@lightkeeper/contract";
import { validateOverride, isOverrideKey } from "@lightkeeper/nebula";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { includesText } from "../lib/picker-options.ts";
import { Combobox } from "../ui/pickers/combobox.tsx";
import { Field } from "../ui/forms/field.tsx";
import { useFocusOn } from "../ui/base/focus-on.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CloseIcon } from "../ui/base/icons.tsx";
import { EffectiveList, OtherTags } from "./effective-overrides.tsx";
import { OverrideInput } from "./override-input.tsx";
import { effectiveOverrides, conflictingTags } from "./override-layers.ts";
import { initialOverrideValue, overrideKeys, overrideLabel, overrideLabels } from "./override-labels.ts";
import styles from "./overrides.module.css";
import { allTagsQuery } from "../references/tags.queries.ts";

/** A tag (undefined for a new one, which is above all others), or a host with its tags. */
export type OverridesOwner = { tag: string | undefined } | { hostTags: readonly string[] };

export interface OverridesEditorProps {
  value: ConfigOverrides;
  onChange: (value: ConfigOverrides) => void;
  /** Errors by index of the setting. */
  errors?: readonly (string | undefined)[] | undefined;
  owner: OverridesOwner;
  /** Focuses the field that adds a setting. */
  autoFocus?: boolean | undefined;
}

/** Edits Nebula settings and shows how they combine with those of tags. */
export function OverridesEditor({ value, onChange, errors, owner, autoFocus }: OverridesEditorProps) {
  const { data: tags = [] } = useQuery(allTagsQuery);
  const { root, focusOn } = useFocusOn();
  const unusedKeys = overrideKeys.filter((key) => value.every((override) => override.key !== key));
  const hostTags = tags.filter(({ name }) => "hostTags" in owner && owner.hostTags.includes(name));

  function add(key: string) {
    const added = unusedKeys.find((unusedKey) => unusedKey === key);
    if (!added) return;
    onChange([...value, { key: added, value: initialOverrideValue(added) }]);
    focusOn(`[data-override="${added}"] :is(input, select, textarea, button)`);
  }
  function remove(key: string) {
    onChange(value.filter((override) => override.key !== key));
    focusOn("[data-add] input");
  }

  return (
    <div ref={root} role="group" aria-label="Settings" className={styles.editor}>
      {value.length > 0 && (
        <ul className={styles.list}>
          {value.map((override, index) => (
            <li key={override.key} data-override={override.key} className={styles.row}>
              <OverrideField
                override={override}
                error={errors?.[index]}
                onChange={(next) => onChange(value.with(index, { ...override, value: next }))}
              />
              <IconButton
                label={`Remove ${overrideLabel(override.key)}`}
                icon={<CloseIcon />}
                onClick={() => remove(override.key)}
              />
              {"tag" in owner && (
                <OtherTags overrideKey={override.key} {...conflictingTags(tags, owner.tag, override.key)} />
              )}
            </li>
          ))}
        </ul>
      )}
      <AddOverride unusedKeys={unusedKeys} onAdd={add} autoFocus={autoFocus} />
      {"hostTags" in owner && <EffectiveList settings={effectiveOverrides(hostTags, value)} />}
    </div>
  );
}

interface OverrideFieldProps {
  override: ConfigOverrides[number];
  error: string | undefined;
  onChange: (value: unknown) => void;
}

function OverrideField({ override: { key, value }, error, onChange }: OverrideFieldProps) {
  const problem = validateOverride(key, value);
  // An empty value isn't an error yet.
  const isEmpty = value === "";
  const labels = isOverrideKey(key) ? overrideLabels[key] : undefined;
  const hints = [
    isEmpty && problem,
    labels?.unit && `In ${labels.unit}.`,
    labels?.defaultText && `Default: ${labels.defaultText}`,
  ];
  return (
    <Field
      label={
        <>
          {overrideLabel(key)} <code className={styles.key}>{key}</code>
        </>
      }
      hint={hints.filter(Boolean).join(" ")}
      error={error ?? (isEmpty ? undefined : problem)}
    >
      <OverrideInput overrideKey={key} value={value} onChange={onChange} />
    </Field>
  );
}

interface AddOverrideProps {
  unusedKeys: readonly string[];
  onAdd: (key: string) => void;
  autoFocus: boolean | undefined;
}

function AddOverride({ unusedKeys, onAdd, autoFocus }: AddOverrideProps) {
  const [search, setSearch] = useState("");
  const options = unusedKeys.map((key) => ({ value: key, label: overrideLabel(key), description: key }));
  return (
    <div data-add className={styles.add}>
      <Field label="Add a setting">
        <Combobox
          value={null}
          selectedLabel=""
          {...(autoFocus && { autoFocus })}
          placeholder="MTU, log level…"
          options={options.filter(
            ({ label, description }) => includesText(label, search) || includesText(description, search),
          )}
          onSearch={(text = "") => setSearch(text)}
          onChange={(key) => key !== null && onAdd(key)}
        />
      </Field>
    </div>
  );
}
