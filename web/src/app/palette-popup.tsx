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
import { useCurrentUser } from "../lib/current-user.ts";
import { messageOf } from "../lib/errors.ts";
import { useNetworkFilter } from "../lib/network-filter.ts";
import { keyName } from "../lib/shortcuts.ts";
import { SearchIcon } from "../ui/icons.tsx";
import { useReadOnly } from "../ui/read-only.ts";
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
            placeholder="Find a host, go to a page, do something…"
            spellCheck={false}
            dir="auto"
            className={styles.input}
          />
          <kbd>Esc</kbd>
        </div>
        <Results text={text} onChosen={onClose} />
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

function Results({ text, onChosen }: { text: string; onChosen: () => void }) {
  const { data: user } = useCurrentUser();
  const local = commandGroups({
    entries: useVisibleEntries(),
    networkFilter: useNetworkFilter(),
    isTypeUser: user?.actorType === "user",
    isReadOnly: useReadOnly(),
  });
  const { groups, isSearching, error } = usePaletteSearch(text);
  const shown = [
    ...groups,
    ...local.map(({ label, commands }) => ({ label, commands: matching(commands, text) })),
  ].filter(({ commands }) => commands.length > 0);
  return (
    <>
      <ComboboxList alwaysVisible className={styles.list} aria-label="Results" aria-busy={isSearching}>
        {shown.map((group) => (
          <Group key={group.label} group={group} onChosen={onChosen} />
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

function Group({ group: { label, commands }, onChosen }: { group: CommandGroup; onChosen: () => void }) {
  return (
    <ComboboxGroup className={styles.group}>
      <ComboboxGroupLabel className={styles.label}>{label}</ComboboxGroupLabel>
      {commands.map((command) => (
        <Item key={"to" in command ? command.to : command.label} command={command} onChosen={onChosen} />
      ))}
    </ComboboxGroup>
  );
}

function Item({ command, onChosen }: { command: Command; onChosen: () => void }) {
  const { label, description, icon: Icon, keys } = command;
  function choose() {
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
      {...("to" in command && { render: <Link to={command.to} /> })}
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
