import type { FindItems } from "./item.ts";

/** Channels whose latest deliveries have failed. They belong to the organization, whatever the network. */
export const findFailingChannels: FindItems = async ({ db, request }) => {
  const channels = await db
    .selectFrom("notification_channel_states as state")
    .innerJoin("notification_channels as channel", "channel.id", "state.channel_id")
    .select(["channel.id", "channel.name", "state.failing_since"])
    .where("channel.organization_id", "=", request.organizationID)
    .where("channel.is_enabled", "=", true)
    .where("state.failing_since", "is not", null)
    .execute();
  return channels.map(({ id, name, failing_since }) => ({
    severity: "WARNING",
    objects: [{ type: "notificationChannel", id, name }],
    hostCount: 0,
    since: failing_since?.toISOString() ?? null,
    expiresAt: null,
  }));
};
