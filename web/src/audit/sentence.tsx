import type { Part } from "../references/audit-target.ts";
import styles from "./audit.module.css";
import { ObjectName } from "./object-name.tsx";

/** The parts of a sentence never move, so their index is a valid key. */
const keyed = (parts: readonly Part[]) => parts.map((part, place) => ({ part, key: String(place) }));

export function Sentence({ parts }: { parts: readonly Part[] }) {
  return keyed(parts).map(({ part, key }) => {
    if (typeof part === "string") return part;
    if ("object" in part) return <ObjectName key={key} object={part.object} />;
    return (
      <strong key={key} className={styles.strong}>
        <bdi>{part.strong}</bdi>
      </strong>
    );
  });
}
