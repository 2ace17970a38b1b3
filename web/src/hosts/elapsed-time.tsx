import { useEffect, useState } from "react";

const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

/** "1.2 s", "34 s", "5 min", "3 h", "2 days" */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / SECOND_MS;
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  if (seconds < 2 * MINUTE_SECONDS) return `${Math.round(seconds)} s`;
  const minutes = seconds / MINUTE_SECONDS;
  if (minutes < 2 * HOUR_MINUTES) return `${Math.round(minutes)} min`;
  const hours = minutes / HOUR_MINUTES;
  return hours < 2 * DAY_HOURS ? `${Math.round(hours)} h` : `${Math.round(hours / DAY_HOURS)} days`;
}

/** "0:08", "12:34"; hours and days after two hours */
function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND_MS));
  if (seconds >= 2 * HOUR_MINUTES * MINUTE_SECONDS) return formatDuration(ms);
  return `${Math.floor(seconds / MINUTE_SECONDS)}:${String(seconds % MINUTE_SECONDS).padStart(2, "0")}`;
}

/** Counts up every second. */
export function ElapsedTime({ since }: { since: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return <time>{formatClock(now - Date.parse(since))}</time>;
}
