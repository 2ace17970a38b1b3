import styles from "./audit.module.css";
import type { Part } from "./parts.ts";
import { NamedThing } from "./named-thing.tsx";

/** The parts of a sentence stand still: their place is as good a key as any. */
const keyed = (parts: readonly Part[]) => parts.map((part, place) => ({ part, key: String(place) }));

export function Sentence({ parts }: { parts: readonly Part[] }) {
  return keyed(parts).map(({ part, key }) => {
    if (typeof part === "string") return part;
    if ("thing" in part) return <NamedThing key={key} thing={part.thing} />;
    return (
      <strong key={key} className={styles.strong}>
        <bdi>{part.strong}</bdi>
      </strong>
    );
  });
}
