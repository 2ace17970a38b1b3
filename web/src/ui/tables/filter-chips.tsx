import { lazy, Suspense, useRef, useState, type Ref } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./filter-chips.module.css";
import type { FilterChoice } from "./filter-popup.tsx";
import { CloseIcon, PlusIcon } from "../base/icons.tsx";

export type { FilterChoice } from "./filter-popup.tsx";

const loadPopup = () => import("./filter-popup.tsx");
const FilterPopup = lazy(loadPopup);
const preload = () => void loadPopup().catch(() => undefined);

export interface FilterChipProps {
  /** The name of the filter: "Role". */
  label: string;
  /** The selected values. */
  chosen: readonly string[];
  onChange: (values: readonly string[]) => void;
  /** The label of a selected value. */
  nameOf: (value: string) => string;
  /** Undefined while loading. */
  choices: readonly FilterChoice[] | undefined;
  /** Called with the typed text if the caller searches; otherwise the choices are filtered here. */
  onSearch?: ((text: string) => void) | undefined;
  /** Several values can be selected. */
  many?: boolean | undefined;
}

/** A filter: a button to add it, or its values with buttons to change and remove them. */
export function FilterChip(props: FilterChipProps) {
  const { label, chosen, onChange, nameOf, choices, onSearch, many = false } = props;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isOn = chosen.length > 0;
  const names = chosen.map(nameOf).join(", ");

  function toggle() {
    if (!open) onSearch?.("");
    setOpen(!open);
  }
  function choose(value: string) {
    onChange(toggleValue(chosen, value, many));
    if (!many) setOpen(false);
  }
  function removeFilter() {
    onChange([]);
    button.current?.focus();
  }

  return (
    <span className={classNames(styles.chip, isOn && styles.on)}>
      <OpenButton
        ref={button}
        label={label}
        names={isOn ? names : undefined}
        isOpen={open}
        onClick={toggle}
      />
      {isOn && <RemoveButton label={`Remove filter ${label}: ${names}`} onClick={removeFilter} />}
      {open && (
        <Suspense>
          <FilterPopup
            label={label}
            anchor={button}
            choices={choices}
            chosen={chosen}
            onSearch={onSearch}
            onChoose={choose}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </span>
  );
}

function toggleValue(chosen: readonly string[], value: string, many: boolean): readonly string[] {
  const remaining = chosen.filter((chosenValue) => chosenValue !== value);
  const isNew = remaining.length === chosen.length;
  return isNew ? [...(many ? chosen : []), value] : remaining;
}

interface OpenButtonProps {
  ref: Ref<HTMLButtonElement>;
  label: string;
  /** The selected values; undefined without a filter. */
  names: string | undefined;
  isOpen: boolean;
  onClick: () => void;
}

function OpenButton({ ref, label, names, isOpen, onClick }: OpenButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      className={styles.open}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={onClick}
    >
      {names === undefined && <PlusIcon width={12} height={12} />}
      <span className={styles.text}>
        {label}
        {names !== undefined && (
          <>
            : <bdi>{names}</bdi>
          </>
        )}
      </span>
    </button>
  );
}

function RemoveButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" aria-label={label} className={styles.remove} onClick={onClick}>
      <CloseIcon width={12} height={12} />
    </button>
  );
}
