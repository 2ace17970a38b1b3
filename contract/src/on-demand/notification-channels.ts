/** Where notifications go. */
import * as z from "zod/mini";
import { access, data, endpoint, list } from "../endpoint.ts";
import { described, email, Empty, id, instant, pageQuery, replacement, text } from "../fields.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";

const noun = "notification-channels";

export const notificationChannelTypes = ["EMAIL", "WEBHOOK", "SLACK", "TEAMS", "AUDIT_STREAM"] as const;
export type NotificationChannelType = (typeof notificationChannelTypes)[number];

export const CHANNELS_MAX = 200;
export const CHANNEL_ADDRESSES_MAX = 20;
export const CHANNEL_URL_LENGTH_MAX = 2000;
/** For how long requests are also signed with the previous secret. */
export const SECRET_OVERLAP_HOURS = 24;

export const deliveryStates = ["PENDING", "DELIVERED", "FAILED"] as const;

/** Whether requests of such a channel are signed. Slack and Teams ignore signatures. */
export const isSigned = (type: NotificationChannelType): boolean =>
  type === "WEBHOOK" || type === "AUDIT_STREAM";

const isWebURL = (value: string) => {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && !username && !password;
};

const editable = {
  name: text(1, NAME_LENGTH_MAX),
  isEnabled: z._default(z.optional(z.boolean()), true),
  addresses: described(
    z._default(z.optional(z.array(email()).check(z.maxLength(CHANNEL_ADDRESSES_MAX))), []),
    "The recipients of an `EMAIL` channel.",
  ),
  url: described(
    z._default(
      z.optional(
        z.nullable(
          text(1, CHANNEL_URL_LENGTH_MAX).check(
            z.refine(isWebURL, "must be a URL that starts with https://, without a user name and password"),
          ),
        ),
      ),
      null,
    ),
    "Where requests are sent; null for `EMAIL`. The URLs of `SLACK` and `TEAMS` are credentials, so only their start is returned. If you send that back, the URL stays as it is.",
  ),
};

export const NotificationChannel = z.strictObject({
  id: id("channel"),
  type: z.enum(notificationChannelTypes),
  name: z.string(),
  isEnabled: z.boolean(),
  addresses: z.array(z.string()),
  url: z.nullable(z.string()),
  /** Until then, requests are also signed with the previous secret. */
  previousSecretExpiresAt: z.nullable(instant()),
  /** When the latest attempts started to fail; null if the latest one succeeded. */
  failingSince: z.nullable(instant()),
  lastDelivery: z.nullable(
    z.strictObject({ id: id("delivery"), state: z.enum(deliveryStates), createdAt: instant() }),
  ),
  /** The sequence number of the last acknowledged audit log entry; null for other types than `AUDIT_STREAM`. */
  auditCursor: z.nullable(z.number()),
  createdAt: instant(),
  modifiedAt: instant(),
});
export type NotificationChannel = z.output<typeof NotificationChannel>;

/** The only response that contains the secret, which is null if requests aren't signed. */
export const NewNotificationChannel = z.extend(NotificationChannel, { secret: z.nullable(z.string()) });

export const NotificationChannelCreate = z.strictObject({
  type: z.enum(notificationChannelTypes),
  ...editable,
});
export const NotificationChannelUpdate = replacement(editable, NotificationChannel);

export const listNotificationChannels = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/notification-channels",
  noun,
  summary: "List notification channels",
  access: access.scope("notification-channels:list"),
  query: z.strictObject(pageQuery),
  response: list(NotificationChannel),
});

export const createNotificationChannel = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/notification-channels",
  noun,
  summary: "Create a notification channel; the secret of a webhook or audit stream is shown once",
  access: access.scope("notification-channels:create"),
  body: NotificationChannelCreate,
  response: data(NewNotificationChannel),
  errors: ["ERR_LIMIT_EXCEEDED", "ERR_INVALID_EMAIL"],
});

export const getNotificationChannel = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/notification-channels/{channelID}",
  noun,
  summary: "Get a notification channel",
  access: access.scope("notification-channels:read"),
  response: data(NotificationChannel),
});

export const updateNotificationChannel = endpoint({
  extension: true,
  method: "PUT",
  path: "/v1/notification-channels/{channelID}",
  noun,
  summary: "Replace a notification channel's name, recipients or URL",
  access: access.scope("notification-channels:update"),
  body: NotificationChannelUpdate,
  response: data(NotificationChannel),
  errors: ["ERR_INVALID_EMAIL"],
});

export const deleteNotificationChannel = endpoint({
  extension: true,
  method: "DELETE",
  path: "/v1/notification-channels/{channelID}",
  noun,
  summary: "Delete a notification channel with its deliveries, and remove it from rules",
  access: access.scope("notification-channels:delete"),
  response: data(Empty),
});

export const rotateNotificationSecret = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/notification-channels/{channelID}/rotate-secret",
  noun,
  summary: "Replace the secret of a webhook or audit stream; for 24 hours, requests are signed with both",
  access: access.scope("notification-channels:update"),
  response: data(NewNotificationChannel),
});
