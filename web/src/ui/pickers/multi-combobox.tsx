import { Combobox as AriakitCombobox, useComboboxStore } from "@ariakit/react/combobox";
import { useRef, useState, type ComponentProps, type KeyboardEvent, type Ref } from "react";
import { Chip } from "../text/chip.tsx";
import { clickFirstOnEnter } from "./click-first-on-enter.ts";
import { ComboboxOptions, preloadOptions } from "./combobox-options.tsx";
import type { ComboboxSource } from "./combobox.tsx";
import styles from "./combobox.module.css";
import { useField } from "../forms/field.tsx";

export interface MultiComboboxProps
  extends
    ComboboxSource,
    Pick<ComponentProps<"input">, "name" | "disabled" | "autoFocus" | "placeholder" | "aria-label"> {
  ref?: Ref<HTMLInputElement> | undefined;
  value: readonly string[];
  onChange: (value: string[]) => void;
  onBlur?: (() => void) | undefined;
  /** The label of a value; by default the value itself. */
  labelOf?: ((value: string) => string) | undefined;
  /** The noun of one item: "tag". */
  noun: string;
}

/** Selects several options by searching. Backspace in an empty input removes the last one. */
export function MultiCombobox({ value, onChange, noun, labelOf = itself, ...props }: MultiComboboxProps) {
  const { options, onSearch, failure, placeholder, onBlur, ref, ...input } = props;
  const { store, typed, stop } = useSearch(onSearch);
  const element = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  function choose(chosen: string) {
    onChange([...value, chosen]);
    stop();
  }
  function remove(removed: string) {
    onChange(value.filter((item) => item !== removed));
    element.current?.focus();
  }
  function removeLast(event: KeyboardEvent) {
    const last = value.at(-1);
    if (event.key === "Backspace" && typed === "" && last !== undefined) remove(last);
  }
  return (
    <div ref={box} className={styles.multi}>
      <SelectedChips value={value} noun={noun} labelOf={labelOf} onRemove={remove} />
      <AriakitCombobox
        {...useField()}
        {...input}
        ref={(node) => {
          element.current = node;
          return assignRef(ref, node);
        }}
        store={store}
        autoSelect
        placeholder={value.length === 0 ? placeholder : undefined}
        autoComplete="list"
        spellCheck={false}
        dir="auto"
        onFocus={preloadOptions}
        onBlur={onBlur}
        onKeyDown={removeLast}
        onKeyDownCapture={clickFirstOnEnter(store)}
        className={styles.bare}
      />
      <ComboboxOptions
        store={store}
        options={options?.filter((option) => !value.includes(option.value))}
        failure={failure}
        nothing={typed ? "Nothing matches" : `No other ${noun}`}
        anchor={box}
        onChoose={choose}
      />
    </div>
  );
}

interface SelectedChipsProps extends Required<Pick<MultiComboboxProps, "value" | "noun">> {
  labelOf: (value: string) => string;
  onRemove: (value: string) => void;
}

function SelectedChips({ value, noun, labelOf, onRemove }: SelectedChipsProps) {
  return value.map((item) => (
    <Chip key={item} onRemove={() => onRemove(item)} removeLabel={`Remove ${noun} ${labelOf(item)}`}>
      <bdi>{labelOf(item)}</bdi>
    </Chip>
  ));
}

function useSearch(onSearch: ComboboxSource["onSearch"]) {
  const [typed, setTyped] = useState("");
  const store = useComboboxStore({
    inputValue: typed,
    setInputValue: search,
    // Pasted text opens the list before `typed` is rendered, so the text is read from the store.
    setOpen: (open) => (open ? onSearch(store.getState().inputValue) : stop()),
    placement: "bottom-start",
  });
  function search(text: string) {
    if (text === typed) return;
    setTyped(text);
    onSearch(text);
  }
  function stop() {
    setTyped("");
    onSearch(undefined);
  }
  return { store, typed, stop };
}

const itself = (value: string) => value;

function assignRef<T>(ref: Ref<T> | undefined, value: T | null) {
  if (typeof ref === "function") return ref(value);
  if (ref) ref.current = value;
}
