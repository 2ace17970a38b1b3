const day = /* @__PURE__ */ new Intl.DateTimeFormat("en", { dateStyle: "full" });

/** "Today", "Yesterday" or the date, in the reader's time zone. */
export function dayLabel(at: Date, now: Date): string {
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (at.toDateString() === now.toDateString()) return "Today";
  if (at.toDateString() === yesterday.toDateString()) return "Yesterday";
  return day.format(at);
}

export interface Day<Entry> {
  label: string;
  entries: Entry[];
}

/** Groups entries by day and keeps their order. */
export function byDay<Entry extends { timestamp: string }>(
  entries: readonly Entry[],
  now: Date,
): Day<Entry>[] {
  const days: Day<Entry>[] = [];
  for (const entry of entries) {
    const label = dayLabel(new Date(entry.timestamp), now);
    const last = days.at(-1);
    if (last?.label === label) last.entries.push(entry);
    else days.push({ label, entries: [entry] });
  }
  return days;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The start of a day, or of the day so many days later; undefined if the text isn't a date. */
export function startOfDay(text: string | undefined, daysLater = 0): string | undefined {
  if (text === undefined || !DAY.test(text)) return undefined;
  const [year = 0, month = 0, date = 0] = text.split("-").map(Number);
  const start = new Date(year, month - 1, date);
  if (start.getMonth() !== month - 1 || start.getFullYear() !== year) return undefined;
  start.setDate(date + daysLater);
  return start.toISOString();
}
