import type { AuditLog } from "@lightkeeper/contract";
import { lazy, Suspense, useId, useState } from "react";
import { formatClock } from "../lib/format.ts";
import { ChevronRightIcon } from "../ui/base/icons.tsx";
import { absoluteTime } from "../ui/base/relative-time.ts";
import styles from "./audit.module.css";
import { Sentence } from "./sentence.tsx";
import { sentenceOf } from "./sentences.ts";

const loadDetails = () => import("./entry-details.tsx");
const EntryDetails = lazy(loadDetails);

/** The elements that `j` and `k` move between. */
export const TOGGLE = "button[aria-expanded][data-entry]";

export function EntryRow({ entry }: { entry: AuditLog }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const preload = () => void loadDetails().catch(() => undefined);
  return (
    <li className={styles.entry}>
      <div className={styles.line}>
        <button
          type="button"
          data-entry={entry.id}
          aria-label="Details"
          aria-describedby={id}
          aria-expanded={isOpen}
          className={styles.toggle}
          onPointerEnter={preload}
          onFocus={preload}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRightIcon className={styles.chevron} />
        </button>
        <time
          dateTime={entry.timestamp}
          title={absoluteTime(new Date(entry.timestamp))}
          className={styles.clock}
        >
          {formatClock(entry.timestamp)}
        </time>
        <p id={id} className={styles.sentence}>
          <Sentence parts={sentenceOf(entry)} />
        </p>
        {entry.actorAddress !== null && (
          <span className={styles.address}>
            <span className={styles.from}>from </span>
            {entry.actorAddress}
          </span>
        )}
      </div>
      {isOpen && (
        <Suspense>
          <EntryDetails entry={entry} />
        </Suspense>
      )}
    </li>
  );
}
