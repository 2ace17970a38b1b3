import type {
  DeliveryType,
  NotificationChannel,
  NotificationChannelType,
  NotificationDelivery,
  NotificationEventType,
} from "@lightkeeper/contract";
import { NOTIFICATIONS_PATH } from "../references/notification-paths.ts";

export const RULE_ADD_PATH = `${NOTIFICATIONS_PATH}/rules/add`;
export const CHANNEL_ADD_PATH = `${NOTIFICATIONS_PATH}/channels/add`;
export const notificationCrumbs = [{ label: "Notifications", to: NOTIFICATIONS_PATH }];

export const channelTypes: Readonly<Record<NotificationChannelType, { label: string; description: string }>> =
  {
    EMAIL: { label: "Email", description: "Sends each message to one or more addresses." },
    WEBHOOK: { label: "Webhook", description: "Posts signed JSON to your service." },
    SLACK: { label: "Slack", description: "Posts to a Slack channel through an incoming webhook." },
    TEAMS: {
      label: "Microsoft Teams",
      description: "Posts a card to a Teams channel through a Workflows webhook.",
    },
    AUDIT_STREAM: {
      label: "Audit stream",
      description: "Posts every audit log entry to your SIEM, in signed batches. Needs no rule.",
    },
  };

export const eventLabels: Readonly<Record<NotificationEventType, string>> = {
  HOST_OFFLINE: "A host is offline",
  HOST_ONLINE: "A host is back online",
  HOST_OUT_OF_SYNC: "A host is out of sync",
  HOST_BLOCKED: "A host is blocked",
  CERTIFICATE_EXPIRING: "A host’s certificate expires soon",
  CA_EXPIRING: "A CA expires soon",
  GUARANTEE_FAILING: "A guarantee is failing",
  GUARANTEE_REFUSED: "A guarantee rejects a change",
  MEMBER_ADDED: "A member joins",
  API_KEY_CREATED: "An API key is created",
  NEW_LOGIN_LOCATION: "A member logs in from a new location",
  AGENT_UPDATE_AVAILABLE: "An agent update is available",
};

export const deliveryTypeLabels: Readonly<Record<DeliveryType, string>> = {
  ...eventLabels,
  AUDIT_LOG: "Audit log entries",
  TEST: "Test",
};

type Tone = "ok" | "off" | "warn" | "bad" | "new";

export const deliveryStates: Readonly<Record<NotificationDelivery["state"], { label: string; tone: Tone }>> =
  {
    DELIVERED: { label: "Delivered", tone: "ok" },
    PENDING: { label: "Pending", tone: "new" },
    FAILED: { label: "Failed", tone: "bad" },
  };

export function channelState({ isEnabled, failingSince, lastDelivery }: NotificationChannel): {
  label: string;
  tone: Tone;
} {
  if (!isEnabled) return { label: "Disabled", tone: "off" };
  if (failingSince !== null) return { label: "Failing", tone: "bad" };
  return lastDelivery === null ? { label: "Not used yet", tone: "new" } : { label: "Working", tone: "ok" };
}

/** Where the channel sends to. */
export const channelTarget = ({ addresses, url }: Pick<NotificationChannel, "addresses" | "url">): string =>
  url ?? addresses.join(", ");
