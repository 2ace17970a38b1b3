import { Combobox as AriakitCombobox, useComboboxStore } from "@ariakit/react/combobox";
import { useState, type ComponentProps, type Ref } from "react";
import { classNames } from "../base/class-names.ts";
import { clickFirstOnEnter } from "./click-first-on-enter.ts";
import { ComboboxOptions, preloadOptions, type ComboboxOption } from "./combobox-options.tsx";
import styles from "./combobox.module.css";
import { useField } from "../forms/field.tsx";
import { ChevronDownIcon } from "../base/icons.tsx";

export type { ComboboxOption } from "./combobox-options.tsx";

/** The props of every control with searchable options. */
export interface ComboboxSource {
  /** Undefined while loading. */
  options: readonly ComboboxOption[] | undefined;
  /** Called with the typed text while the list is open, and with undefined when it closes. */
  onSearch: (text: string | undefined) => void;
  /** Why there are no options. */
  failure?: string | undefined;
}

type InputProps = Pick<
  ComponentProps<"input">,
  "name" | "disabled" | "autoFocus" | "placeholder" | "aria-label"
>;

export interface ComboboxProps extends ComboboxSource, InputProps {
  ref?: Ref<HTMLInputElement> | undefined;
  value: string | null;
  onChange: (value: string | null) => void;
  onBlur?: (() => void) | undefined;
  /** The label of the selected value, which may not be among the options. */
  selectedLabel: string;
  /** The label of the first option, which selects nothing; omitted if a value is required. */
  none?: string | undefined;
  mono?: boolean | undefined;
  className?: string | undefined;
}

/** Selects one option by searching. Typed text only searches: on blur, the selected label returns. */
export function Combobox({ value, onChange, selectedLabel, none, ...props }: ComboboxProps) {
  const { options, onSearch, failure, placeholder = none, mono, className, onBlur, ...input } = props;
  const { store, typed, stop } = useSearch(selectedLabel, onSearch);
  function choose(chosen: string) {
    onChange(chosen === "" ? null : chosen);
    stop();
  }
  const offersNone = none !== undefined && value !== null && !typed;
  return (
    <div className={classNames(styles.place, className)}>
      <AriakitCombobox
        {...useField()}
        {...input}
        store={store}
        autoSelect
        placeholder={placeholder}
        autoComplete="list"
        spellCheck={false}
        dir="auto"
        onFocus={({ currentTarget }) => {
          // A page that focuses its first field isn't a sign that its options are needed.
          if (!input.autoFocus) preloadOptions();
          // Typing replaces the selected label.
          currentTarget.select();
        }}
        onBlur={onBlur}
        onKeyDownCapture={clickFirstOnEnter(store)}
        className={classNames(styles.input, mono && styles.mono)}
      />
      <ChevronDownIcon className={styles.chevron} />
      <ComboboxOptions
        store={store}
        options={options && offersNone ? [{ value: "", label: none }, ...options] : options}
        failure={failure}
        chosen={value}
        mono={mono}
        onChoose={choose}
      />
    </div>
  );
}

/** The input shows the typed text during a search, and the selected label otherwise. */
function useSearch(selectedLabel: string, onSearch: ComboboxSource["onSearch"]) {
  const [typed, setTyped] = useState<string>();
  const store = useComboboxStore({
    inputValue: typed ?? selectedLabel,
    setInputValue: (text) => type(text),
    setOpen: (open) => (open ? search() : stop()),
    placement: "bottom-start",
  });
  function type(text: string) {
    if (text === (typed ?? selectedLabel)) return;
    setTyped(text);
    onSearch(text);
  }
  /** Pasted text opens the list before `typed` is rendered, so the text is read from the store. */
  function search() {
    const { inputValue } = store.getState();
    onSearch(inputValue === selectedLabel ? "" : inputValue);
  }
  function stop() {
    setTyped(undefined);
    onSearch(undefined);
  }
  return { store, typed, stop };
}
