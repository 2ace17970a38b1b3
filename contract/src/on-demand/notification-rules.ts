/** What people are notified of, and through which channels. */
import * as z from "zod/mini";
import { access, data, endpoint, list } from "../endpoint.ts";
import { described, Empty, id, instant, pageQuery, replacement } from "../fields.ts";
import { ID_LENGTH_MAX, TARGET_ID_LENGTH_MAX } from "../limits.ts";

const noun = "notification-rules";

interface EventFields {
  /** The rule can be limited to hosts with a role or tags. */
  hosts?: true;
  /** How long it has to last. */
  minutes?: true;
  /** How long before an expiry. */
  days?: true;
}

/** Every event, and the fields that a rule about it has. */
export const notificationEvents = {
  HOST_OFFLINE: { hosts: true, minutes: true },
  HOST_ONLINE: { hosts: true, minutes: true },
  HOST_OUT_OF_SYNC: { hosts: true, minutes: true },
  HOST_BLOCKED: { hosts: true },
  CERTIFICATE_EXPIRING: { hosts: true, days: true },
  CA_EXPIRING: { days: true },
  GUARANTEE_FAILING: {},
  GUARANTEE_REFUSED: {},
  MEMBER_ADDED: {},
  API_KEY_CREATED: {},
  NEW_LOGIN_LOCATION: {},
  AGENT_UPDATE_AVAILABLE: {},
} as const satisfies Record<string, EventFields>;

export type NotificationEventType = keyof typeof notificationEvents;
export const notificationEventTypes = Object.keys(notificationEvents) as [
  NotificationEventType,
  ...NotificationEventType[],
];
export const fieldsOfEvent = (type: NotificationEventType): EventFields => notificationEvents[type];

export const RULES_MAX = 200;
export const RULE_CHANNELS_MAX = 10;
export const RULE_FILTERS_MAX = 20;
/** Agents call about once per minute, so a shorter time says nothing about a host. */
export const THRESHOLD_MINUTES_MIN = 3;
export const THRESHOLD_MINUTES_MAX = 10_080;
export const EXPIRY_DAYS_MAX = 365;

const timeOfDay = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 22:00"));

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

const QuietHours = z
  .strictObject({ start: timeOfDay, end: timeOfDay })
  .check(z.refine(({ start, end }) => start !== end, { error: "must differ from the start", path: ["end"] }));

export const digests = ["NONE", "HOURLY", "DAILY"] as const;

const wholeNumber = (min: number, max: number) =>
  z._default(z.optional(z.nullable(z.int().check(z.minimum(min), z.maximum(max)))), null);

const editable = {
  eventType: z.enum(notificationEventTypes),
  isEnabled: z._default(z.optional(z.boolean()), true),
  tags: described(
    z._default(
      z.optional(
        z.array(z.string().check(z.maxLength(TARGET_ID_LENGTH_MAX))).check(z.maxLength(RULE_FILTERS_MAX)),
      ),
      [],
    ),
    "For host events: only hosts with all of these tags.",
  ),
  roleIDs: described(
    z._default(
      z.optional(z.array(z.string().check(z.maxLength(ID_LENGTH_MAX))).check(z.maxLength(RULE_FILTERS_MAX))),
      [],
    ),
    "For host events: only hosts with one of these roles.",
  ),
  thresholdMinutes: described(
    wholeNumber(THRESHOLD_MINUTES_MIN, THRESHOLD_MINUTES_MAX),
    "For `HOST_OFFLINE`, `HOST_ONLINE` and `HOST_OUT_OF_SYNC`: how long the host has to be offline or out of sync.",
  ),
  days: described(
    wholeNumber(1, EXPIRY_DAYS_MAX),
    "For `CERTIFICATE_EXPIRING` and `CA_EXPIRING`: how many days before the expiry.",
  ),
  channelIDs: z
    .array(z.string().check(z.maxLength(ID_LENGTH_MAX)))
    .check(z.minLength(1), z.maxLength(RULE_CHANNELS_MAX)),
  quietHours: described(
    z._default(z.optional(z.nullable(QuietHours)), null),
    "Events between these times of day are sent together afterwards.",
  ),
  digest: described(
    z._default(z.optional(z.enum(digests)), "NONE"),
    "`HOURLY` and `DAILY` send the events of an hour, or of a day until 08:00, together.",
  ),
  timeZone: described(
    z._default(
      z.optional(
        z.string().check(z.maxLength(64), z.refine(isTimeZone, "must be a time zone such as Europe/Berlin")),
      ),
      "UTC",
    ),
    "The time zone of the quiet hours and of the daily digest.",
  ),
};

export const NotificationRule = z.strictObject({
  id: id("rule"),
  eventType: z.enum(notificationEventTypes),
  isEnabled: z.boolean(),
  tags: z.array(z.string()),
  roleIDs: z.array(z.string()),
  thresholdMinutes: z.nullable(z.number()),
  days: z.nullable(z.number()),
  /** Empty if all of its channels were deleted. */
  channelIDs: z.array(z.string()),
  quietHours: z.nullable(z.strictObject({ start: z.string(), end: z.string() })),
  digest: z.enum(digests),
  timeZone: z.string(),
  createdAt: instant(),
  modifiedAt: instant(),
});
export type NotificationRule = z.output<typeof NotificationRule>;

interface RuleFields {
  eventType: NotificationEventType;
  tags: string[];
  roleIDs: string[];
  thresholdMinutes: number | null;
  days: number | null;
}

const requireNumber = (path: "thresholdMinutes" | "days", field: "minutes" | "days") =>
  z.refine<RuleFields>((rule) => (rule[path] !== null) === (fieldsOfEvent(rule.eventType)[field] === true), {
    error: ({ input }) =>
      (input as RuleFields)[path] === null ? "is required for this event" : "doesn't apply to this event",
    path: [path],
  });
const requireNoFilter = (path: "tags" | "roleIDs") =>
  z.refine<RuleFields>((rule) => rule[path].length === 0 || fieldsOfEvent(rule.eventType).hosts === true, {
    error: "doesn't apply to this event",
    path: [path],
  });

const checks = [
  requireNumber("thresholdMinutes", "minutes"),
  requireNumber("days", "days"),
  requireNoFilter("tags"),
  requireNoFilter("roleIDs"),
] as const;

export const NotificationRuleCreate = z.strictObject(editable).check(...checks);
export const NotificationRuleUpdate = replacement(editable, NotificationRule).check(...checks);

export const listNotificationRules = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/notification-rules",
  noun,
  summary: "List notification rules",
  access: access.scope("notification-rules:list"),
  query: z.strictObject(pageQuery),
  response: list(NotificationRule),
});

export const createNotificationRule = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/notification-rules",
  noun,
  summary: "Create a notification rule",
  access: access.scope("notification-rules:create"),
  body: NotificationRuleCreate,
  response: data(NotificationRule),
  errors: ["ERR_INVALID_REFERENCE", "ERR_LIMIT_EXCEEDED"],
});

export const getNotificationRule = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/notification-rules/{ruleID}",
  noun,
  summary: "Get a notification rule",
  access: access.scope("notification-rules:read"),
  response: data(NotificationRule),
});

export const updateNotificationRule = endpoint({
  extension: true,
  method: "PUT",
  path: "/v1/notification-rules/{ruleID}",
  noun,
  summary: "Replace a notification rule",
  access: access.scope("notification-rules:update"),
  body: NotificationRuleUpdate,
  response: data(NotificationRule),
  errors: ["ERR_INVALID_REFERENCE"],
});

export const deleteNotificationRule = endpoint({
  extension: true,
  method: "DELETE",
  path: "/v1/notification-rules/{ruleID}",
  noun,
  summary: "Delete a notification rule",
  access: access.scope("notification-rules:delete"),
  response: data(Empty),
});
