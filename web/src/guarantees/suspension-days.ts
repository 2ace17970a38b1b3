/** Days in the reader's time zone, as a date input has them: 2026-11-20. */

const toDay = (date: Date): string =>
  [
    date.getFullYear(),
    String(date.getMonth() + 1).padStart(2, "0"),
    String(date.getDate()).padStart(2, "0"),
  ].join("-");

function parseDay(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date);
}

/** The day that is this many days after today. */
export function dayAfter(days: number, now: Date = new Date()): string {
  return toDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
}

/** The last second of a day, as an ISO instant. */
export function endOfDay(day: string): string {
  const date = parseDay(day);
  date.setHours(23, 59, 59);
  return date.toISOString();
}

const days = new Intl.DateTimeFormat("en", { dateStyle: "medium" });

/** "Nov 20, 2026" */
export const formatDay = (day: string): string => days.format(parseDay(day));
