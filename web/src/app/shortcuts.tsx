import { useEffect, useState } from "react";
import { keyName, listenForShortcuts, useShortcut, useShortcuts } from "../lib/shortcuts.ts";
import { Dialog } from "../ui/dialog.tsx";
import { PageShortcuts } from "./page-shortcuts.tsx";
import styles from "./shortcuts.module.css";

function ShortcutList() {
  return (
    <dl className={styles.list}>
      {useShortcuts().map(({ keys, description }) => (
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
  );
}

/** The shortcuts of every page, and the list of all that `?` shows. */
export function Shortcuts() {
  const [listed, setListed] = useState(false);
  useEffect(listenForShortcuts, []);
  useShortcut("?", "List the keyboard shortcuts", () => setListed(true));
  return (
    <>
      <PageShortcuts />
      <Dialog open={listed} onClose={() => setListed(false)} title="Keyboard shortcuts" reading="Shortcuts">
        <ShortcutList />
      </Dialog>
    </>
  );
}
