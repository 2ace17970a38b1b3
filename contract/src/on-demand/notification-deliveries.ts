/** What was sent to a channel, and how the receiver responded. */
import * as z from "zod/mini";
import { access, data, endpoint, list } from "../endpoint.ts";
import { id, instant, pageQuery } from "../fields.ts";
import { deliveryStates } from "./notification-channels.ts";
import { notificationEventTypes } from "./notification-rules.ts";

const noun = "notification-deliveries";

export const deliveryTypes = [...notificationEventTypes, "AUDIT_LOG", "TEST"] as const;
export type DeliveryType = (typeof deliveryTypes)[number];

/** Older deliveries are deleted. */
export const DELIVERY_DAYS_MAX = 30;
export const CHANNEL_DELIVERIES_MAX = 1000;

const fields = {
  id: id("delivery"),
  channelID: id("channel"),
  /** Null for tests, and for audit streams. */
  ruleID: z.nullable(id("rule")),
  type: z.enum(deliveryTypes),
  title: z.string(),
  state: z.enum(deliveryStates),
  attempts: z.number(),
  createdAt: instant(),
  /** Null if there is none. */
  nextAttemptAt: z.nullable(instant()),
  finishedAt: z.nullable(instant()),
  /** The status of the last response; null if there was none. */
  status: z.nullable(z.number()),
};

export const NotificationDelivery = z.strictObject(fields);
export type NotificationDelivery = z.output<typeof NotificationDelivery>;

export const NotificationDeliveryDetails = z.strictObject({
  ...fields,
  request: z.strictObject({
    /** The headers of the last attempt; null before the first one, and for email. */
    headers: z.nullable(z.record(z.string(), z.string())),
    body: z.string(),
  }),
  /** The result of the last attempt. */
  response: z.nullable(
    z.strictObject({
      status: z.nullable(z.number()),
      /** At most 2 KB. */
      body: z.string(),
      error: z.nullable(z.string()),
    }),
  ),
});
export type NotificationDeliveryDetails = z.output<typeof NotificationDeliveryDetails>;

export const listNotificationDeliveries = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/notification-channels/{channelID}/deliveries",
  noun,
  summary: "List the deliveries of a channel, newest first",
  access: access.scope("notification-channels:read"),
  query: z.strictObject({ ...pageQuery, "filter.state": z.optional(z.enum(deliveryStates)) }),
  response: list(NotificationDelivery),
});

export const getNotificationDelivery = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/notification-deliveries/{deliveryID}",
  noun,
  summary: "Get a delivery with its request and response",
  access: access.scope("notification-channels:read"),
  response: data(NotificationDeliveryDetails),
});

export const resendNotificationDelivery = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/notification-deliveries/{deliveryID}/resend",
  noun,
  summary: "Send a delivery again, with the same ID",
  access: access.scope("notification-channels:update"),
  response: data(NotificationDelivery),
});

export const testNotificationChannel = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/notification-channels/{channelID}/test",
  noun,
  summary: "Send a test message to a channel",
  access: access.scope("notification-channels:update"),
  response: data(NotificationDelivery),
});
