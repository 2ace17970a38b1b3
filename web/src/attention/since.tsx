import { formatClock } from "../lib/format.ts";
import { absoluteTime } from "../ui/base/relative-time.ts";
import { useNow } from "../ui/text/time.tsx";
import styles from "./attention.module.css";

const days = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const daysOfYears = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** "19:17" today, "Nov 13" this year, "Nov 13, 2025" before. */
export function formatSince(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return formatClock(at);
  return (at.getFullYear() === now.getFullYear() ? days : daysOfYears).format(at);
}

export function Since({ at }: { at: string }) {
  const instant = new Date(at);
  return (
    <time dateTime={at} title={absoluteTime(instant)} className={styles.since}>
      Since {formatSince(instant, new Date(useNow()))}
    </time>
  );
}
