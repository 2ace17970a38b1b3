import {
  CHANNEL_DELIVERIES_MAX,
  DELIVERY_DAYS_MAX,
  type NotificationChannelType,
} from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";
import { announceDelivery, ATTEMPTED_MS, type DeliveryRow, insertDelivery } from "./insert-delivery.ts";
import { bodyOf, SETTINGS_PATH } from "./payloads.ts";

interface TestedChannel {
  id: string;
  type: NotificationChannelType;
  name: string;
}

export async function queueTest(
  { unaudited, config }: Context,
  { organizationID, channel, now }: { organizationID: string; channel: TestedChannel; now: Date },
): Promise<DeliveryRow> {
  const title = "Test notification from Lightkeeper";
  const item = {
    id: channel.id,
    name: channel.name,
    network: null,
    text: `Notifications reach the channel ${channel.name}.`,
    path: SETTINGS_PATH,
    at: now.toISOString(),
  };
  const type = "TEST";
  const message = { type, organizationID, ruleID: null, at: now, title, count: 1, items: [item] } as const;
  return unaudited.transaction().execute((tx) =>
    insertDelivery(tx, {
      organizationID,
      channelID: channel.id,
      ruleID: null,
      type,
      title,
      body: bodyOf(channel.type, { ...message, items: [item] }, config.appURL),
      now,
    }),
  );
}

/** The receiver recognizes the repetition by its ID. */
export async function resendDelivery(
  { unaudited }: Context,
  { organizationID, id, now }: { organizationID: string; id: string; now: Date },
): Promise<DeliveryRow | undefined> {
  const expiresAt = new Date(now.getTime() + ATTEMPTED_MS);
  return unaudited.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable("notification_deliveries")
      .set({
        state: "PENDING",
        next_attempt_at: now,
        finished_at: null,
        expires_at: sql`case when first_sequence is null then ${expiresAt}::timestamptz end`,
      })
      .where("organization_id", "=", organizationID)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirst();
    if (row) await announceDelivery(tx, row);
    return row;
  });
}

/** Deletes old deliveries, and all but the newest of each channel. */
export async function deleteOldDeliveries(db: UnauditedWriter, now: Date): Promise<void> {
  const createdBefore = new Date(now.getTime() - DELIVERY_DAYS_MAX * DAY_MS);
  await db
    .deleteFrom("notification_deliveries")
    .where("state", "!=", "PENDING")
    .where("created_at", "<=", createdBefore)
    .execute();
  await sql`
    delete from notification_deliveries where state <> 'PENDING' and id in (
      select id from (
        select id, row_number() over (partition by channel_id order by created_at desc, id desc) as position
          from notification_deliveries) numbered
        where position > ${CHANNEL_DELIVERIES_MAX})`.execute(db);
}
