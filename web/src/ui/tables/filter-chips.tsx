import { lazy, Suspense, useRef, useState } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./filter-chips.module.css";
import type { FilterChoice } from "./filter-popup.tsx";
import { CloseIcon, PlusIcon } from "../base/icons.tsx";

export type { FilterChoice } from "./filter-popup.tsx";

const loadPopup = () => import("./filter-popup.tsx");
const FilterPopup = lazy(loadPopup);

export interface FilterChipProps {
  /** What the list is narrowed by: "Role". */
  label: string;
  /** The values that are on. */
  chosen: readonly string[];
  onChange: (values: readonly string[]) => void;
  /** What a chosen value is called. */
  nameOf: (value: string) => string;
  /** What can be chosen; undefined while it is being looked for. */
  choices: readonly FilterChoice[] | undefined;
  /** Told what is typed, where the choices are looked for elsewhere; else they are searched here. */
  onSearch?: ((text: string) => void) | undefined;
  /** Several values narrow further. */
  many?: boolean | undefined;
}

/** A filter: off, a way to add it; on, what it is, to be changed or removed. */
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
