import { useEffect, useId, useState } from "react";
import {
  keyName,
  listenForShortcuts,
  shortcutGroups,
  useShortcut,
  useShortcuts,
  type Shortcut,
} from "../lib/shortcuts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { PageShortcuts } from "./page-shortcuts.tsx";
import styles from "./shortcuts.module.css";

/** Only what works on the current page; a group without any is left out. */
function ShortcutList() {
  const shortcuts = useShortcuts();
  return (
    <div className={styles.groups}>
      {shortcutGroups.map((label) => {
        const own = shortcuts.filter(({ group }) => group === label);
        return own.length > 0 && <Group key={label} label={label} shortcuts={own} />;
      })}
    </div>
  );
}

function Group({ label, shortcuts }: { label: string; shortcuts: readonly Shortcut[] }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className={styles.heading}>
        {label}
      </h2>
      <dl className={styles.list}>
        {shortcuts.map(({ keys, description }) => (
          <div key={keys + description} className={styles.row}>
            <dt>{description}</dt>
            <dd>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{keyName(key)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The shortcuts of every page, and the list of all that `?` shows. */
export function Shortcuts() {
  const [listed, setListed] = useState(false);
  useEffect(listenForShortcuts, []);
  useShortcut("?", "Show keyboard shortcuts", () => setListed(true), "Anywhere");
  return (
    <>
      <PageShortcuts />
      <Dialog open={listed} onClose={() => setListed(false)} title="Keyboard shortcuts" reading="Shortcuts">
        <ShortcutList />
      </Dialog>
    </>
  );
}
