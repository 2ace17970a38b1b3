import { once } from "./once.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
const month = year / 12;

/** Below its smallest amount, a unit is too coarse and the next one is used. */
const units = [
  { name: "year", ms: year, least: 2 },
  { name: "month", ms: month, least: 2 },
  { name: "day", ms: day, least: 2 },
  { name: "hour", ms: hour, least: 1 },
  { name: "minute", ms: minute, least: 1 },
  { name: "second", ms: second, least: 1 },
];

/** Slightly less than the smallest amount rounds up: 59 minutes count as 1 hour, 23.5 months as 2 years. */
const NEARLY = 0.975;

const amounts = once(() => new Intl.NumberFormat("en"));

/** "12 seconds ago", "3 days ago", "in 12 months", "now": rounded to the nearest. */
export function relativeTime(at: Date, now: Date) {
  const distance = at.getTime() - now.getTime();
  const amountIn = (ms: number) => Math.abs(distance) / ms;
  const unit = units.find(({ ms, least }) => amountIn(ms) >= least * NEARLY);
  if (!unit) return "now";
  const count = Math.round(amountIn(unit.ms));
  const amount = `${amounts().format(count)} ${unit.name}${count === 1 ? "" : "s"}`;
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}

const absolute = once(
  () => new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" }),
);

export function absoluteTime(at: Date) {
  return absolute().format(at);
}
