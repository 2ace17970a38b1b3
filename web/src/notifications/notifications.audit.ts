import { describeAddedOrRemoved } from "../references/audit-changes.ts";
import { textsOf } from "../references/audit-snapshots.ts";
import type { AuditTarget } from "../references/audit-target.ts";
import { notificationChannelPath, notificationRulePath } from "../references/notification-paths.ts";

export const notificationChannel: AuditTarget = {
  label: "Notification channels",
  noun: "notification channel",
  path: notificationChannelPath,
  fields: {
    addresses: { label: "recipients", describe: describeAddedOrRemoved(textsOf) },
    url: { label: "URL" },
  },
  updated: (_entry, { after }, objectParts) =>
    after?.keyRotated === true ? ["replaced the secret of ", ...objectParts] : undefined,
};

export const notificationRule: AuditTarget = {
  label: "Notification rules",
  noun: "notification rule",
  nameField: "eventType",
  path: notificationRulePath,
  fields: {
    eventType: { label: "event" },
    tags: { describe: describeAddedOrRemoved(textsOf) },
    roleIDs: { label: "roles" },
    channelIDs: { label: "channels" },
    thresholdMinutes: { label: "minutes" },
  },
};
