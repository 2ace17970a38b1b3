import { lazy, Suspense, useRef, useState } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./filter-chips.module.css";
import type { FilterChoice } from "./filter-popup.tsx";
import { CloseIcon, PlusIcon } from "../base/icons.tsx";

export type { FilterChoice } from "./filter-popup.tsx";

const loadPopup = () => import("./filter-popup.tsx");
const FilterPopup = lazy(loadPopup);

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
  const words = chosen.map(nameOf).join(", ");
  const preload = () => void loadPopup().catch(() => undefined);

  function toggle() {
    if (!open) onSearch?.("");
    setOpen(!open);
  }
  function choose(value: string) {
    const others = chosen.filter((one) => one !== value);
    const isOff = others.length === chosen.length;
    onChange(isOff ? [...(many ? chosen : []), value] : others);
    if (!many) setOpen(false);
  }

  return (
    <span className={classNames(styles.chip, isOn && styles.on)}>
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open}
        className={styles.open}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={toggle}
      >
        {!isOn && <PlusIcon width={12} height={12} />}
        <span className={styles.text}>
          {label}
          {isOn && (
            <>
              : <bdi>{words}</bdi>
            </>
          )}
        </span>
      </button>
      {isOn && (
        <button
          type="button"
          aria-label={`Remove filter ${label}: ${words}`}
          className={styles.remove}
          onClick={() => {
            onChange([]);
            button.current?.focus();
          }}
        >
          <CloseIcon width={12} height={12} />
        </button>
      )}
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
