/** The texts of notifications. */
import type { DeliveryType, NotificationEventType } from "@lightkeeper/contract";
import type { EventItem } from "../../infrastructure/db/notification-tables.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";

/** A message about one or more occurrences of an event. */
export interface NotificationMessage {
  type: DeliveryType;
  organizationID: string;
  ruleID: string | null;
  at: Date;
  title: string;
  /** Includes the occurrences that aren't listed. */
  count: number;
  items: EventItem[];
}

/** A message lists only the first ones. */
export const ITEMS_MAX = 20;

const numbers = new Intl.NumberFormat("en-US");
export const formatNumber = (value: number): string => numbers.format(value);

const times = new Intl.DateTimeFormat("en-US", {
  dateStyle: "long",
  timeStyle: "short",
  hourCycle: "h23",
  timeZone: "UTC",
});
export const formatTime = (at: Date): string => `${times.format(at)} UTC`;
const dates = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });
export const formatDate = (at: Date): string => dates.format(at);

const UNITS = [
  { name: "day", minutes: 24 * 60 },
  { name: "hour", minutes: 60 },
  { name: "minute", minutes: 1 },
] as const;

/** Such as “2 hours”. */
export function formatDuration(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  const unit = UNITS.find((candidate) => minutes >= candidate.minutes * 2) ?? UNITS[2];
  const count = Math.round(minutes / unit.minutes);
  return `${formatNumber(count)} ${unit.name}${count === 1 ? "" : "s"}`;
}

type Title = [one: (name: string) => string, many: (count: string) => string];

const titles: Record<NotificationEventType, Title> = {
  HOST_OFFLINE: [(name) => `${name} went offline`, (count) => `${count} hosts went offline`],
  HOST_ONLINE: [(name) => `${name} is back online`, (count) => `${count} hosts are back online`],
  HOST_OUT_OF_SYNC: [(name) => `${name} is out of sync`, (count) => `${count} hosts are out of sync`],
  HOST_BLOCKED: [(name) => `${name} was blocked`, (count) => `${count} hosts were blocked`],
  CERTIFICATE_EXPIRING: [
    (name) => `The certificate of ${name} expires soon`,
    (count) => `The certificates of ${count} hosts expire soon`,
  ],
  CA_EXPIRING: [(name) => `The CA ${name} expires soon`, (count) => `${count} CAs expire soon`],
  GUARANTEE_FAILING: [() => "A guarantee is failing", (count) => `${count} guarantees are failing`],
  GUARANTEE_REFUSED: [
    () => "A change was rejected by a guarantee",
    (count) => `${count} changes were rejected by guarantees`,
  ],
  MEMBER_ADDED: [(name) => `${name} is a new member`, (count) => `${count} new members`],
  API_KEY_CREATED: [(name) => `New API key: ${name}`, (count) => `${count} new API keys`],
  NEW_LOGIN_LOCATION: [
    (name) => `${name} logged in from a new location`,
    (count) => `${count} logins from new locations`,
  ],
  AGENT_UPDATE_AVAILABLE: [
    (name) => `Agent ${name} is available`,
    (count) => `${count} agent updates are available`,
  ],
};

export function titleOf(type: NotificationEventType, count: number, items: readonly EventItem[]): string {
  const [one, many] = titles[type];
  const [first] = items;
  return count === 1 && first ? one(first.name) : many(formatNumber(count));
}

/** Undefined if all are listed. */
export function describeRest({
  count,
  items,
}: Pick<NotificationMessage, "count" | "items">): string | undefined {
  const rest = count - items.length;
  return rest > 0 ? `And ${formatNumber(rest)} more.` : undefined;
}
