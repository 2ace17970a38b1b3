/** Fields of notification channels, rules and deliveries. */
import type { Noun } from "../../nouns.ts";
import { exampleID, type FieldTable, times } from "../field.ts";

export const notificationFields: FieldTable = {
  channelID: ["The ID of the channel.", exampleID("channel")],
  ruleID: ["The ID of the rule.", exampleID("rule")],
  deliveryID: ["The ID of the delivery.", exampleID("delivery")],
  addresses: ["The recipients of an `EMAIL` channel.", []],
  previousSecretExpiresAt: ["Until then, requests are also signed with the previous secret.", null],
  lastDelivery: ["The newest delivery; null if there is none."],
  auditCursor: [
    "The sequence number of the last acknowledged audit log entry; null for other types than `AUDIT_STREAM`.",
    null,
  ],
  eventType: ["The event that the rule is about.", "HOST_OFFLINE"],
  thresholdMinutes: [
    "For `HOST_OFFLINE`, `HOST_ONLINE` and `HOST_OUT_OF_SYNC`: how long the host has to be offline or out of sync.",
    5,
  ],
  days: ["For `CERTIFICATE_EXPIRING` and `CA_EXPIRING`: how many days before the expiry.", null],
  channelIDs: ["The channels that messages are sent through.", [exampleID("channel")]],
  quietHours: ["Events between these times of day are sent together afterwards."],
  "quietHours.start": ["When the quiet hours start.", "22:00"],
  end: ["When the quiet hours end.", "07:00"],
  digest: ["`HOURLY` and `DAILY` send the events of an hour, or of a day until 08:00, together.", "NONE"],
  timeZone: ["The time zone of the quiet hours and of the daily digest.", "Europe/Berlin"],
  title: ["The subject of the message.", "web-1 is offline"],
  attempts: ["How many times the message was sent.", 1],
  nextAttemptAt: ["When the message is sent again; null if it isn't.", null],
  finishedAt: ["When the message was delivered or given up; null until then.", times.recent],
  request: ["What was sent."],
  headers: ["The headers of the last attempt; null before the first one, and for email.", null],
  response: ["The result of the last attempt; null before the first one."],
};

const isEnabled = (noun: string) => ["Whether the " + noun + " is in use.", true] as const;
const state = ["Whether the message was delivered.", "DELIVERED"] as const;

export const notificationFieldsByNoun: Partial<Record<Noun, FieldTable>> = {
  "notification-channels": {
    id: ["The ID of the channel.", exampleID("channel")],
    "lastDelivery.id": ["The ID of the delivery.", exampleID("delivery")],
    "lastDelivery.state": state,
    type: ["How messages are sent.", "WEBHOOK"],
    name: ["The name of the channel.", "On-call"],
    isEnabled: isEnabled("channel"),
    url: ["Where requests are sent; null for `EMAIL`.", "https://hooks.example.com/lightkeeper"],
    secret: [
      "Signs the requests. This is the only response that contains it; null if requests aren't signed.",
      "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ],
    failingSince: ["When the latest attempts started to fail; null if the latest one succeeded.", null],
  },
  "notification-rules": {
    id: ["The ID of the rule.", exampleID("rule")],
    isEnabled: isEnabled("rule"),
    tags: ["For host events: only hosts with all of these tags.", ["env:production"]],
    roleIDs: ["For host events: only hosts with one of these roles.", []],
  },
  "notification-deliveries": {
    id: ["The ID of the delivery.", exampleID("delivery")],
    ruleID: ["The ID of the rule; null for tests and audit streams.", exampleID("rule")],
    type: ["What the message is about.", "HOST_OFFLINE"],
    state,
    status: ["The HTTP status of the last response; null if there was none.", 200],
    body: ["The content of the request or response.", '{"type":"HOST_OFFLINE"}'],
    error: ["Why there was no response; null if there was one.", null],
  },
};
