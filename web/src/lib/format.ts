import { once } from "../ui/base/once.ts";

const numbers = once(() => new Intl.NumberFormat("en"));
const instants = once(
  () => new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }),
);
const clock = once(
  () => new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
);

/** "1,204" */
export const formatNumber = (value: number): string => numbers().format(value);

/** "1 host", "1,204 hosts" */
export const formatCount = (count: number, one: string, many: string = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** "Nov 15, 2026, 12:04", in the reader's time zone */
export const formatInstant = (at: string | number | Date): string => instants().format(new Date(at));

/** "12:04", in the reader's time zone */
export const formatClock = (at: string | number | Date): string => clock().format(new Date(at));
