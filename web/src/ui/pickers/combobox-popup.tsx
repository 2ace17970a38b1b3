import { ComboboxItem, ComboboxPopover, type ComboboxStore } from "@ariakit/react/combobox";
import type { RefObject } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./combobox.module.css";
import { CheckIcon } from "../base/icons.tsx";
import { popoverOverflowPaddingPx } from "../base/popover.ts";

export interface ComboboxOption {
  value: string;
  label: string;
  /** Muted, after the label. */
  description?: string | undefined;
}

export interface ComboboxPopupProps {
  store: ComboboxStore;
  options: readonly ComboboxOption[] | undefined;
  /** Marked with a tick. */
  chosen?: string | null | undefined;
  mono?: boolean | undefined;
  /** The anchor of the list; by default the input. */
  anchor?: RefObject<HTMLElement | null> | undefined;
  onChoose: (value: string) => void;
  /** Shown in place of options. */
  note: string | false;
}

/** A default export, for `lazy()`. */
export default function ComboboxPopup(props: ComboboxPopupProps) {
  const { store, options, note, chosen, mono, anchor, onChoose } = props;
  return (
    <ComboboxPopover
      store={store}
      sameWidth
      fixed
      fitViewport
      unmountOnHide
      gutter={4}
      {...(anchor && { getAnchorRect: () => anchor.current?.getBoundingClientRect() ?? null })}
      overflowPadding={popoverOverflowPaddingPx}
      className={styles.popup}
    >
      {note ? (
        <ComboboxItem disabled className={styles.note}>
          {note}
        </ComboboxItem>
      ) : (
        options?.map(({ value, label, description }) => (
          <ComboboxItem
            key={value}
            value={value}
            setValueOnClick={false}
            selectValueOnClick={false}
            focusOnHover
            onClick={() => onChoose(value)}
            className={styles.item}
          >
            <span className={styles.labels}>
              <bdi className={classNames(styles.label, mono && styles.mono)}>{label}</bdi>
              {description && <bdi className={styles.description}>{description}</bdi>}
            </span>
            {chosen === value && <CheckIcon className={styles.tick} />}
          </ComboboxItem>
        ))
      )}
    </ComboboxPopover>
  );
}
