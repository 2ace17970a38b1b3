import {
  Combobox,
  ComboboxGroup,
  ComboboxGroupLabel,
  ComboboxItem,
  ComboboxList,
  ComboboxProvider,
  useComboboxStore,
} from "@ariakit/react/combobox";
import { Dialog } from "@ariakit/react/dialog";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "react-router";
import { useCurrentUser } from "../lib/current-user.ts";
import { messageOf } from "../lib/errors.ts";
import { useNetworkFilter } from "../references/network-filter.ts";
import type { Command, CommandGroup } from "../lib/palette.ts";
import { keyName } from "../lib/shortcuts.ts";
import { matching } from "../on-demand/palette-search.ts";
import { SearchIcon } from "../ui/base/icons.tsx";
import { clickFirstOnEnter } from "../ui/pickers/click-first-on-enter.ts";
import { Status } from "../ui/feedback/status.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { pagesIn } from "./navigation.ts";
import { commandGroups } from "./palette-commands.ts";
import styles from "./palette-popup.module.css";
import { usePaletteSearch } from "./palette-search.ts";
import { useVisibleEntries } from "./sidebar.tsx";

interface PalettePopupProps {
  onClose: () => void;
}

/** A default export, for `lazy()`. */
export default function PalettePopup({ onClose }: PalettePopupProps) {
  const [text, setText] = useState("");
  // Escape closes both the results and the dialog.
  const setOpen = (open: boolean) => void (open || onClose());
  const store = useComboboxStore({ open: true, setOpen, inputValue: text, setInputValue: setText });
  useCloseOnNavigation(onClose);
  return (
    <Dialog
      open
      onClose={onClose}
      aria-label="Search and commands"
      backdrop={<div className={styles.backdrop} />}
      autoFocusOnHide={false}
      className={styles.palette}
    >
      <ComboboxProvider store={store}>
        <div className={styles.head}>
          <SearchIcon />
          <Combobox
            autoSelect="always"
            autoFocus
            onKeyDownCapture={clickFirstOnEnter(store)}
            aria-label="Search and commands"
            placeholder="Search hosts, pages and actions…"
            spellCheck={false}
            dir="auto"
            className={styles.input}
          />
          <kbd>Esc</kbd>
        </div>
        <Results text={text} onFill={setText} onSelect={onClose} />
      </ComboboxProvider>
    </Dialog>
  );
}

/** Closes the palette on navigation. Otherwise, the element that had the focus gets it back. */
function useCloseOnNavigation(onClose: () => void) {
  const { key } = useLocation();
  const first = useRef(key);
  const focusedBefore = useRef(document.activeElement);
  useEffect(() => {
    if (key === first.current) return;
    // The new page already has the focus.
    focusedBefore.current = null;
    onClose();
  }, [key, onClose]);
  useEffect(
    () => () => {
      const element = focusedBefore.current;
      if (element instanceof HTMLElement && element.isConnected) element.focus();
    },
    [],
  );
}

interface SelectionHandlers {
  onSelect: () => void;
  /** Replaces the text of the palette. */
  onFill: (text: string) => void;
}

/** All commands for a text, in order. */
function useResults(text: string) {
  const { data: person } = useCurrentUser();
  const entries = useVisibleEntries();
  const [pages, actions] = commandGroups({ entries, networkFilter: useNetworkFilter(), person });
  const visiblePaths = new Set(pagesIn(entries).map(({ path }) => path));
  const results = usePaletteSearch(text, { person, visiblePaths });
  const isFilled = (command: Command) =>
    "fill" in command && command.fill.toLowerCase() === text.toLowerCase();
  const available = actions.commands.filter((command) => !isFilled(command));
  const groups: CommandGroup[] = [
    ...results.objects,
    { ...pages, commands: matching(pages.commands, text) },
    { ...actions, commands: [...matching(available, text), ...results.actions] },
    { label: "Documentation", commands: results.documents },
  ];
  return { ...results, shown: groups.filter(({ commands }) => commands.length > 0) };
}

function Results({ text, ...handlers }: { text: string } & SelectionHandlers) {
  const { shown, isSearching, error } = useResults(text);
  return (
    <>
      <ComboboxList alwaysVisible className={styles.list} aria-label="Results" aria-busy={isSearching}>
        {shown.map((group) => (
          <Group key={group.label} group={group} {...handlers} />
        ))}
      </ComboboxList>
      {shown.length === 0 && !isSearching && !error && (
        <p className={styles.empty} role="status">
          No results for <q dir="auto">{text.trim()}</q>
        </p>
      )}
      {error && (
        <p className={styles.empty} role="status">
          {messageOf(error)}
        </p>
      )}
    </>
  );
}

/** Neither label nor target is unique: hosts can share a name, and members share a page. */
const keyOf = (command: Command): string => {
  const target = "to" in command ? command.to : "href" in command ? command.href : "";
  return `${command.label} ${target}`;
};

function Group({ group: { label, commands }, ...handlers }: { group: CommandGroup } & SelectionHandlers) {
  return (
    <ComboboxGroup className={styles.group}>
      <ComboboxGroupLabel className={styles.label}>{label}</ComboboxGroupLabel>
      {commands.map((command) => (
        <Item key={keyOf(command)} command={command} {...handlers} />
      ))}
    </ComboboxGroup>
  );
}

function renderAs(command: Command) {
  if ("to" in command) return { render: <Link to={command.to} /> };
  if ("href" in command) return { render: <Link to={command.href} target="_blank" rel="noreferrer" /> };
  return {};
}

function Item({ command, onSelect, onFill }: { command: Command } & SelectionHandlers) {
  const { label, description, status, icon: Icon, keys } = command;
  function select() {
    if ("fill" in command) return onFill(command.fill);
    onSelect();
    if ("run" in command) command.run();
  }
  return (
    <ComboboxItem
      className={styles.item}
      focusOnHover
      setValueOnClick={false}
      hideOnClick={false}
      onClick={select}
      {...renderAs(command)}
    >
      <span className={styles.icon}>{Icon && <Icon />}</span>
      <span className={styles.name} dir="auto">
        {label}
      </span>
      {description && (
        <span className={styles.description} dir="auto">
          {description}
        </span>
      )}
      {status && (
        <span className={styles.status}>
          <Status tone={status.tone}>{status.label}</Status>
        </span>
      )}
      {"href" in command && <VisuallyHidden>(opens in a new tab)</VisuallyHidden>}
      {keys && (
        <span className={styles.keys} aria-hidden="true">
          {keys.split(" ").map((key) => (
            <kbd key={key}>{keyName(key)}</kbd>
          ))}
        </span>
      )}
    </ComboboxItem>
  );
}
