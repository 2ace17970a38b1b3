import { useId, useRef, type Ref } from "react";
import { Button } from "../controls/button.tsx";
import { FieldDescription, TextInput } from "../forms/field.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import { CloseIcon, PlusIcon } from "../base/icons.tsx";
import styles from "./list-input.module.css";

export interface ListInputProps {
  label: string;
  /** The noun of one item: "static address". */
  noun: string;
  value: readonly string[];
  onChange: (value: string[]) => void;
  onBlur?: (() => void) | undefined;
  ref?: Ref<HTMLInputElement> | undefined;
  hint?: string | undefined;
  /** The error of the whole list. */
  error?: string | undefined;
  /** The errors of the items, by index. */
  errors?: readonly (string | undefined)[] | undefined;
  optional?: boolean | undefined;
  placeholder?: string | undefined;
  max?: number | undefined;
}

/** A list of texts, each with its own field. There is always at least one field. */
export function ListInput(props: ListInputProps) {
  const {
    label,
    noun,
    value,
    onChange,
    onBlur,
    ref,
    hint,
    error,
    errors = [],
    optional,
    placeholder,
  } = props;
  const { max = Infinity } = props;
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  const rows = value.length > 0 ? value : [""];

  function focusRow(place: number) {
    // The row exists only after the new value is rendered.
    setTimeout(() => group.current?.querySelectorAll("input")[place]?.focus());
  }
  function write(place: number, text: string) {
    onChange(rows.map((row, at) => (at === place ? text : row)));
  }
  function remove(place: number) {
    onChange(rows.filter((_, at) => at !== place));
    focusRow(Math.max(0, place - 1));
  }
  function add() {
    onChange([...rows, ""]);
    focusRow(rows.length);
  }

  return (
    <fieldset ref={group} className={styles.group} aria-describedby={hint || error ? id : undefined}>
      <legend className={styles.label}>
        {label}
        {optional && <span className={styles.optional}> optional</span>}
      </legend>
      {Array.from(rows, (row, place) => (
        <div key={place} className={styles.row}>
          <TextInput
            ref={place === 0 ? ref : undefined}
            mono
            value={row}
            placeholder={placeholder}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            aria-label={`${label} ${place + 1}`}
            aria-invalid={error || errors[place] ? true : undefined}
            aria-describedby={errors[place] ? `${id}-${place}` : undefined}
            onBlur={onBlur}
            onChange={(event) => write(place, event.currentTarget.value)}
          />
          {rows.length > 1 && (
            <IconButton
              label={`Remove ${noun} ${place + 1}`}
              icon={<CloseIcon />}
              tooltip={false}
              onClick={() => remove(place)}
            />
          )}
          {errors[place] && (
            <div className={styles.error}>
              <FieldDescription id={`${id}-${place}`} error={errors[place]} />
            </div>
          )}
        </div>
      ))}
      {rows.length < max && (
        <div>
          <Button size="small" variant="quiet" icon={<PlusIcon width={12} height={12} />} onClick={add}>
            Add another {noun}
          </Button>
        </div>
      )}
      <FieldDescription id={id} hint={hint} error={error} />
    </fieldset>
  );
}
