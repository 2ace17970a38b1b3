import {
  Combobox,
  ComboboxGroup,
  ComboboxGroupLabel,
  ComboboxItem,
  ComboboxList,
  ComboboxProvider,
} from "@ariakit/react/combobox";
import { Dialog } from "@ariakit/react/dialog";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "react-router";
import { CAS_PATH } from "../certificate-authorities/ca-paths.ts";
import { useCurrentUser } from "../lib/current-user.ts";
import { messageOf } from "../lib/errors.ts";
import { useNetworkFilter } from "../lib/network-filter.ts";
import { keyName } from "../lib/shortcuts.ts";
import { SearchIcon } from "../ui/base/icons.tsx";
import { Status } from "../ui/feedback/status.tsx";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import { commandGroups, matching, type Command, type CommandGroup } from "./palette-commands.ts";
import styles from "./palette-popup.module.css";
import { usePaletteSearch } from "./palette-search.ts";
import { useVisibleEntries } from "./sidebar.tsx";

interface PalettePopupProps {
  onClose: () => void;
}

/** The default export is for `lazy()`. */
export default function PalettePopup({ onClose }: PalettePopupProps) {
  const [text, setText] = useState("");
  useClosing(onClose);
  return (
    <Dialog
      open
      onClose={onClose}
      aria-label="Search and commands"
      backdrop={<div className={styles.backdrop} />}
      autoFocusOnHide={false}
      className={styles.palette}
    >
      {/* What is found is the whole of the dialog: Escape closes both. */}
      <ComboboxProvider open setOpen={(open) => open || onClose()} value={text} setValue={setText}>
        <div className={styles.head}>
          <SearchIcon />
          <Combobox
            autoSelect="always"
            autoFocus
            aria-label="Search and commands"
            placeholder="Search hosts, pages and actions…"
            spellCheck={false}
            dir="auto"
            className={styles.input}
          />
          <kbd>Esc</kbd>
        </div>
        <Results text={text} onFill={setText} onChosen={onClose} />
      </ComboboxProvider>
    </Dialog>
  );
}

/** A way chosen here, and the browser's own Back, lead away from the palette; what had the focus gets it again. */
function useClosing(onClose: () => void) {
  const { key } = useLocation();
  const first = useRef(key);
  const before = useRef(document.activeElement);
  useEffect(() => {
    if (key === first.current) return;
    // The new page has the focus by now.
    before.current = null;
    onClose();
  }, [key, onClose]);
  useEffect(
    () => () => {
      const element = before.current;
      if (element instanceof HTMLElement && element.isConnected) element.focus();
    },
    [],
  );
}

interface Choice {
  onChosen: () => void;
  /** Goes on with another text. */
  onFill: (text: string) => void;
}

/** Everything that is offered for a text, in order. */
function useResults(text: string) {
  const { data: person } = useCurrentUser();
  const entries = useVisibleEntries();
  const [pages, actions] = commandGroups({ entries, networkFilter: useNetworkFilter(), person });
  const hasAuthorities = entries.some((entry) => entry.kind === "page" && entry.path === CAS_PATH);
  const findings = usePaletteSearch(text, { person, hasAuthorities });
  const isFilled = (command: Command) =>
    "fill" in command && command.fill.toLowerCase() === text.toLowerCase();
  const offered = actions.commands.filter((command) => !isFilled(command));
  const groups: CommandGroup[] = [
    ...findings.things,
    { ...pages, commands: matching(pages.commands, text) },
    { ...actions, commands: [...matching(offered, text), ...findings.actions] },
    { label: "Documentation", commands: findings.documents },
  ];
  return { ...findings, shown: groups.filter(({ commands }) => commands.length > 0) };
}

function Results({ text, ...choice }: { text: string } & Choice) {
  const { shown, isSearching, error } = useResults(text);
  return (
    <>
      <ComboboxList alwaysVisible className={styles.list} aria-label="Results" aria-busy={isSearching}>
        {shown.map((group) => (
          <Group key={group.label} group={group} {...choice} />
        ))}
      </ComboboxList>
      {shown.length === 0 && !isSearching && !error && (
        <p className={styles.nothing} role="status">
          Nothing matches <q dir="auto">{text.trim()}</q>
        </p>
      )}
      {error && (
        <p className={styles.nothing} role="status">
          {messageOf(error)}
        </p>
      )}
    </>
  );
}

/** Two things can have one name, and two people lead to one page. */
const keyOf = (command: Command): string => {
  const target = "to" in command ? command.to : "href" in command ? command.href : "";
  return `${command.label} ${target}`;
};

function Group({ group: { label, commands }, ...choice }: { group: CommandGroup } & Choice) {
  return (
    <ComboboxGroup className={styles.group}>
      <ComboboxGroupLabel className={styles.label}>{label}</ComboboxGroupLabel>
      {commands.map((command) => (
        <Item key={keyOf(command)} command={command} {...choice} />
      ))}
    </ComboboxGroup>
  );
}

function renderAs(command: Command) {
  if ("to" in command) return { render: <Link to={command.to} /> };
  if ("href" in command) return { render: <Link to={command.href} target="_blank" rel="noreferrer" /> };
  return {};
}

function Item({ command, onChosen, onFill }: { command: Command } & Choice) {
  const { label, description, status, icon: Icon, keys } = command;
  function choose() {
    if ("fill" in command) return onFill(command.fill);
    onChosen();
    if ("run" in command) command.run();
  }
  return (
    <ComboboxItem
      className={styles.item}
      focusOnHover
      setValueOnClick={false}
      hideOnClick={false}
      onClick={choose}
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
          <Status tone={status.tone}>{status.word}</Status>
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
