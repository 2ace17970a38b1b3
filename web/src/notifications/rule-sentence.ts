/** A notification rule as a sentence. */
import type { NotificationEventType, NotificationRule } from "@lightkeeper/contract";

type SentenceRule = Omit<NotificationRule, "id" | "createdAt" | "modifiedAt" | "isEnabled">;

/** Names by ID; an unknown ID belongs to a deleted object. */
export interface RuleNames {
  roles: ReadonlyMap<string, string>;
  channels: ReadonlyMap<string, string>;
}

const lists = {
  and: new Intl.ListFormat("en-US"),
  or: new Intl.ListFormat("en-US", { type: "disjunction" }),
};
const plural = (count: number, unit: string) =>
  `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;

function hostOf({ tags, roleIDs }: SentenceRule, { roles }: RuleNames): string {
  const roleNames = roleIDs.map((id) => roles.get(id) ?? "(deleted role)");
  const conditions = [
    ...(roleNames.length > 0 ? [`role ${lists.or.format(roleNames)}`] : []),
    ...(tags.length > 0 ? [`tag${tags.length === 1 ? "" : "s"} ${lists.and.format(tags)}`] : []),
  ];
  return conditions.length > 0 ? `a host with ${conditions.join(" and ")}` : "a host";
}

const events: Record<NotificationEventType, (host: string, minutes: string, days: string) => string> = {
  HOST_OFFLINE: (host, minutes) => `${host} is offline for ${minutes}`,
  HOST_ONLINE: (host, minutes) => `${host} is back online after ${minutes} or more`,
  HOST_OUT_OF_SYNC: (host, minutes) => `${host} is out of sync for ${minutes}`,
  HOST_BLOCKED: (host) => `${host} is blocked`,
  CERTIFICATE_EXPIRING: (host, _minutes, days) => `the certificate of ${host} expires within ${days}`,
  CA_EXPIRING: (_host, _minutes, days) => `a CA expires within ${days}`,
  GUARANTEE_FAILING: () => "a guarantee starts to fail",
  GUARANTEE_REFUSED: () => "a guarantee rejects a change",
  MEMBER_ADDED: () => "a member joins",
  API_KEY_CREATED: () => "an API key is created",
  NEW_LOGIN_LOCATION: () => "a member logs in from a new location",
  AGENT_UPDATE_AVAILABLE: () => "an agent update is available",
};

/** “When a host with tag env:production is offline for 5 minutes, notify #ops-alerts.” */
export function ruleSentence(rule: SentenceRule, names: RuleNames): string {
  const event = events[rule.eventType](
    hostOf(rule, names),
    plural(rule.thresholdMinutes ?? 0, "minute"),
    plural(rule.days ?? 0, "day"),
  );
  const channels = rule.channelIDs.map((id) => names.channels.get(id) ?? "(deleted channel)");
  return `When ${event}, notify ${channels.length > 0 ? lists.and.format(channels) : "nobody"}.`;
}

const digestTexts = { NONE: undefined, HOURLY: "Hourly digest", DAILY: "Daily digest at 08:00" };

/** Undefined if messages are sent immediately. */
export function describeSchedule({ digest, quietHours, timeZone }: SentenceRule): string | undefined {
  const parts = [
    digestTexts[digest],
    quietHours && `Quiet from ${quietHours.start} to ${quietHours.end}`,
    (digest === "DAILY" || quietHours) && timeZone,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(" · ") : undefined;
}
