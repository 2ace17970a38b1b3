import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { listenForShortcuts, useShortcut, useShortcuts } from "../lib/shortcuts.ts";
import { Dialog } from "../ui/dialog.tsx";
import styles from "./shortcuts.module.css";

function ShortcutList() {
  return (
    <dl className={styles.list}>
      {useShortcuts().map(({ keys, description }) => (
        <div key={keys + description} className={styles.row}>
          <dt>{description}</dt>
          <dd>
            {keys.split(" ").map((key) => (
              <kbd key={key}>{key}</kbd>
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
  const navigate = useNavigate();
  useEffect(listenForShortcuts, []);
  useShortcut("g n", "Go to networks", () => void navigate("/settings/networks"));
  useShortcut("?", "List the keyboard shortcuts", () => setListed(true));
  return (
    <Dialog open={listed} onClose={() => setListed(false)} title="Keyboard shortcuts">
      <ShortcutList />
    </Dialog>
  );
}
