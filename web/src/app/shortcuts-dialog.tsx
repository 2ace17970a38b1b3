import { useId } from "react";
import { keyName, useShortcuts, type Shortcut, type ShortcutGroup } from "../lib/shortcuts.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import styles from "./shortcuts-dialog.module.css";

const groups: readonly ShortcutGroup[] = ["Anywhere", "Lists", "This page", "Go to"];

/** Lists the shortcuts of the current page, without empty groups. A default export, for `lazy()`. */
export default function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const shortcuts = useShortcuts();
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts" reading="Shortcuts">
      <div className={styles.groups}>
        {groups.map((label) => {
          const groupShortcuts = shortcuts.filter(({ group }) => group === label);
          return groupShortcuts.length > 0 && <Group key={label} label={label} shortcuts={groupShortcuts} />;
        })}
      </div>
    </Dialog>
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
