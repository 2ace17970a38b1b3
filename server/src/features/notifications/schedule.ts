/** When a message about an event is due, given the rule's digest and quiet hours. */
import type { NotificationRule } from "@lightkeeper/contract";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../infrastructure/time/durations.ts";

export interface Schedule {
  digest: NotificationRule["digest"];
  quiet_hours: NotificationRule["quietHours"];
  time_zone: string;
}

const DAY_MINUTES = DAY_MS / MINUTE_MS;
const DAILY_AT = 8 * 60;

/** The minutes since midnight in the time zone. */
function minuteOfDay(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  }).formatToParts(at);
  const numberOf = (type: "hour" | "minute") => Number(parts.find((part) => part.type === type)?.value);
  return numberOf("hour") * 60 + numberOf("minute");
}

const parseTime = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const minutesFrom = (from: number, to: number) => (to - from + DAY_MINUTES) % DAY_MINUTES;

/** The next time, after `at`, when clocks in the time zone show the minute, or skip it. */
function nextMinuteOfDay(at: Date, minute: number, timeZone: string): Date {
  const start = Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
  const minutes = minutesFrom(minuteOfDay(at, timeZone), minute) || DAY_MINUTES;
  const estimate = new Date(start + minutes * MINUTE_MS);
  // Clocks may have been changed in between.
  const late = minutesFrom(minute, minuteOfDay(estimate, timeZone));
  const correction = late > DAY_MINUTES / 2 ? late - DAY_MINUTES : late;
  const next = new Date(estimate.getTime() - correction * MINUTE_MS);
  // If clocks skip the minute, this is before the change.
  while (minutesFrom(minute, minuteOfDay(next, timeZone)) > DAY_MINUTES / 2)
    next.setTime(next.getTime() + MINUTE_MS);
  return next;
}

function endOfDigest(at: Date, { digest, time_zone: timeZone }: Schedule): Date {
  if (digest === "DAILY") return nextMinuteOfDay(at, DAILY_AT, timeZone);
  if (digest === "HOURLY") return new Date((Math.floor(at.getTime() / HOUR_MS) + 1) * HOUR_MS);
  return at;
}

export function dueAt(schedule: Schedule, at: Date): Date {
  const due = endOfDigest(at, schedule);
  const { quiet_hours: quiet, time_zone: timeZone } = schedule;
  if (!quiet) return due;
  const [start, end] = [parseTime(quiet.start), parseTime(quiet.end)];
  const isQuiet = minutesFrom(start, minuteOfDay(due, timeZone)) < minutesFrom(start, end);
  return isQuiet ? nextMinuteOfDay(due, end, timeZone) : due;
}
