import {
  Combobox,
  ComboboxItem,
  ComboboxList,
  useComboboxStore,
  type ComboboxStore,
} from "@ariakit/react/combobox";
import { Popover, usePopoverStore } from "@ariakit/react/popover";
import { useState, type RefObject } from "react";
import styles from "./filter-popup.module.css";
import { CheckIcon } from "../base/icons.tsx";
import { clickFirstOnEnter } from "../pickers/click-first-on-enter.ts";
import { popoverOverflowPaddingPx } from "../base/popover.ts";
import { Announcement } from "../base/visually-hidden.tsx";

export interface FilterChoice {
  value: string;
  label: string;
}

interface FilterPopupProps {
  label: string;
  anchor: RefObject<HTMLElement | null>;
  choices: readonly FilterChoice[] | undefined;
  chosen: readonly string[];
  onSearch: ((text: string) => void) | undefined;
  onChoose: (value: string) => void;
  onClose: () => void;
}

/** Fewer choices need no search. */
const SEARCHABLE_FROM = 8;

/** A default export, for `lazy()`. */
export default function FilterPopup(props: FilterPopupProps) {
  const { label, anchor, choices, chosen, onSearch, onChoose, onClose } = props;
  const [text, setText] = useState("");
  const setOpen = (open: boolean) => void (open || onClose());
  const popover = usePopoverStore({ open: true, setOpen, placement: "bottom-start" });
  const combobox = useComboboxStore({
    open: true,
    inputValue: text,
    setInputValue: (next) => {
      setText(next);
      onSearch?.(next);
    },
  });
  const found = onSearch ? choices : choices?.filter((choice) => contains(choice.label, text));
  const note = found ? found.length === 0 && "Nothing matches" : "Searching…";
  const isSearchable = onSearch !== undefined || (choices?.length ?? 0) >= SEARCHABLE_FROM;

  return (
    <Popover
      store={popover}
      aria-label={`Filter by ${label.toLowerCase()}`}
      getAnchorRect={() => anchor.current?.getBoundingClientRect() ?? null}
      hideOnInteractOutside={({ target }) => !anchor.current?.contains(target as Node)}
      finalFocus={anchor}
      portal
      fixed
      fitViewport
      gutter={4}
      overflowPadding={popoverOverflowPaddingPx}
      className={styles.popup}
    >
      {/* The focus stays here, even if it is hidden, while the arrow keys move in the list. */}
      <Combobox
        store={combobox}
        autoSelect="always"
        autoFocus
        onKeyDownCapture={clickFirstOnEnter(combobox)}
        aria-label={`Find a ${label.toLowerCase()}`}
        placeholder="Find…"
        className={isSearchable ? styles.find : styles.hidden}
        spellCheck={false}
        dir="auto"
      />
      <Announcement>{note}</Announcement>
      {note && <p className={styles.note}>{note}</p>}
      {!note && <ChoiceList store={combobox} choices={found} chosen={chosen} onChoose={onChoose} />}
    </Popover>
  );
}

interface ChoiceListProps extends Pick<FilterPopupProps, "choices" | "chosen" | "onChoose"> {
  store: ComboboxStore;
}

function ChoiceList({ store, choices, chosen, onChoose }: ChoiceListProps) {
  return (
    <ComboboxList store={store} alwaysVisible className={styles.list}>
      {choices?.map((choice) => (
        <Choice
          key={choice.value}
          choice={choice}
          isChosen={chosen.includes(choice.value)}
          onClick={() => onChoose(choice.value)}
        />
      ))}
    </ComboboxList>
  );
}

interface ChoiceProps {
  choice: FilterChoice;
  isChosen: boolean;
  onClick: () => void;
}

function Choice({ choice: { value, label }, isChosen, onClick }: ChoiceProps) {
  return (
    <ComboboxItem
      value={value}
      setValueOnClick={false}
      selectValueOnClick={false}
      hideOnClick={false}
      focusOnHover
      aria-selected={isChosen}
      onClick={onClick}
      className={styles.item}
    >
      <bdi className={styles.label}>{label}</bdi>
      {isChosen && <CheckIcon className={styles.tick} />}
    </ComboboxItem>
  );
}

const contains = (label: string, text: string) => label.toLowerCase().includes(text.trim().toLowerCase());
