const day = /* @__PURE__ */ new Intl.DateTimeFormat("en", { dateStyle: "full" });

/** Today, yesterday, or which day it was, in the reader's time zone. */
export function dayWords(at: Date, now: Date): string {
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (at.toDateString() === now.toDateString()) return "Today";
  if (at.toDateString() === yesterday.toDateString()) return "Yesterday";
  return day.format(at);
}

export interface Day<Entry> {
  words: string;
  entries: Entry[];
}

/** Entries under their day, in the order they have. */
export function byDay<Entry extends { timestamp: string }>(
  entries: readonly Entry[],
  now: Date,
): Day<Entry>[] {
  const days: Day<Entry>[] = [];
  for (const entry of entries) {
    const words = dayWords(new Date(entry.timestamp), now);
    const last = days.at(-1);
    if (last?.words === words) last.entries.push(entry);
    else days.push({ words, entries: [entry] });
  }
  return days;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The first moment of a day that was chosen, and of the one so many days later; undefined for what is no day. */
export function beginOfDay(text: string | undefined, daysLater = 0): string | undefined {
  if (text === undefined || !DAY.test(text)) return undefined;
  const [year = 0, month = 0, date = 0] = text.split("-").map(Number);
  const begin = new Date(year, month - 1, date);
  if (begin.getMonth() !== month - 1 || begin.getFullYear() !== year) return undefined;
  begin.setDate(date + daysLater);
  return begin.toISOString();
}
