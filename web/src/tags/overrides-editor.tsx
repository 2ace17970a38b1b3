import type { ConfigOverrides } from "@lightkeeper/contract";
import { checkOverride, isOverrideKey } from "@lightkeeper/nebula";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { includesText } from "../lib/picker-options.ts";
import { Combobox } from "../ui/forms/combobox.tsx";
import { Field } from "../ui/forms/field.tsx";
import { useFocusOn } from "../ui/base/focus-on.ts";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CloseIcon } from "../ui/base/icons.tsx";
import { EffectiveList, OtherTags } from "./effective-overrides.tsx";
import { OverrideInput } from "./override-input.tsx";
import { effectiveOverrides, rivals } from "./override-layers.ts";
import { firstValue, overrideKeys, overrideLabel, overrideWords } from "./override-words.ts";
import styles from "./overrides.module.css";
import { allTagsQuery } from "../references/tags.queries.ts";

/** Whose settings they are: a tag's (none yet: a new one, above all others), or a host's, which has tags. */
export type OverridesOwner = { tag: string | undefined } | { hostTags: readonly string[] };

export interface OverridesEditorProps {
  value: ConfigOverrides;
  onChange: (value: ConfigOverrides) => void;
  /** What was refused, by place in the list. */
  errors?: readonly (string | undefined)[] | undefined;
  owner: OverridesOwner;
  /** Starts where a setting is chosen. */
  autoFocus?: boolean | undefined;
}

/** Settings of Nebula, each with its own control, and what comes of them together with everybody else's. */
export function OverridesEditor({ value, onChange, errors, owner, autoFocus }: OverridesEditorProps) {
  const { data: tags = [] } = useQuery(allTagsQuery);
  const { root, focusOn } = useFocusOn();
  const free = overrideKeys.filter((key) => value.every((override) => override.key !== key));

  function add(key: string) {
    const added = free.find((one) => one === key);
    if (!added) return;
    onChange([...value, { key: added, value: firstValue(added) }]);
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
                <OtherTags overrideKey={override.key} {...rivals(tags, owner.tag, override.key)} />
              )}
            </li>
          ))}
        </ul>
      )}
      <AddOverride free={free} onAdd={add} autoFocus={autoFocus} />
      {"hostTags" in owner && (
        <EffectiveList
          settings={effectiveOverrides(
            tags.filter(({ name }) => owner.hostTags.includes(name)),
            value,
          )}
        />
      )}
    </div>
  );
}

interface OverrideFieldProps {
  override: ConfigOverrides[number];
  error: string | undefined;
  onChange: (value: unknown) => void;
}

function OverrideField({ override: { key, value }, error, onChange }: OverrideFieldProps) {
  const fault = checkOverride(key, value);
  // What has not been typed yet is not wrong yet.
  const isEmpty = value === "";
  const words = isOverrideKey(key) ? overrideWords[key] : undefined;
  const hints = [
    isEmpty && fault,
    words?.unit && `In ${words.unit}.`,
    words?.otherwise && `Otherwise ${words.otherwise}.`,
  ];
  return (
    <Field
      label={
        <>
          {overrideLabel(key)} <code className={styles.key}>{key}</code>
        </>
      }
      hint={hints.filter(Boolean).join(" ")}
      error={error ?? (isEmpty ? undefined : fault)}
    >
      <OverrideInput overrideKey={key} value={value} onChange={onChange} />
    </Field>
  );
}

interface AddOverrideProps {
  free: readonly string[];
  onAdd: (key: string) => void;
  autoFocus: boolean | undefined;
}

function AddOverride({ free, onAdd, autoFocus }: AddOverrideProps) {
  const [search, setSearch] = useState("");
  const options = free.map((key) => ({ value: key, label: overrideLabel(key), description: key }));
  return (
    <div data-add className={styles.add}>
      <Field label="Add a setting">
        <Combobox
          value={null}
          selectedLabel=""
          {...(autoFocus && { autoFocus })}
          placeholder="MTU, log level, preferred networks…"
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
