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
  const { label, noun, value, onChange, ref, hint, error, errors = [], optional, max = Infinity } = props;
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  const rows = value.length > 0 ? value : [""];

  function focusRow(index: number) {
    // The row exists only after the new value is rendered.
    setTimeout(() => group.current?.querySelectorAll("input")[index]?.focus());
  }
  function write(index: number, text: string) {
    onChange(rows.with(index, text));
  }
  function remove(index: number) {
    onChange(rows.toSpliced(index, 1));
    focusRow(Math.max(0, index - 1));
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
      {Array.from(rows, (row, index) => (
        <ItemRow
          key={index}
          list={props}
          ref={index === 0 ? ref : undefined}
          id={`${id}-${index}`}
          position={index + 1}
          text={row}
          error={errors[index]}
          onChange={(text) => write(index, text)}
          onRemove={rows.length > 1 ? () => remove(index) : undefined}
        />
      ))}
      {rows.length < max && <AddButton noun={noun} onClick={add} />}
      <FieldDescription id={id} hint={hint} error={error} />
    </fieldset>
  );
}

function AddButton({ noun, onClick }: { noun: string; onClick: () => void }) {
  return (
    <div>
      <Button size="small" variant="quiet" icon={<PlusIcon width={12} height={12} />} onClick={onClick}>
        Add another {noun}
      </Button>
    </div>
  );
}

interface ItemRowProps {
  list: Pick<ListInputProps, "label" | "noun" | "placeholder" | "error" | "onBlur">;
  ref: ListInputProps["ref"];
  /** The ID of the error message. */
  id: string;
  position: number;
  text: string;
  error: string | undefined;
  onChange: (text: string) => void;
  onRemove: (() => void) | undefined;
}

function ItemRow({ list, ref, id, position, text, error, onChange, onRemove }: ItemRowProps) {
  const { label, noun, placeholder, onBlur } = list;
  return (
    <div className={styles.row}>
      <TextInput
        ref={ref}
        mono
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-label={`${label} ${position}`}
        aria-invalid={list.error || error ? true : undefined}
        aria-describedby={error ? id : undefined}
        onBlur={onBlur}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {onRemove && (
        <IconButton
          label={`Remove ${noun} ${position}`}
          icon={<CloseIcon />}
          tooltip={false}
          onClick={onRemove}
        />
      )}
      {error && (
        <div className={styles.error}>
          <FieldDescription id={id} error={error} />
        </div>
      )}
    </div>
  );
}
