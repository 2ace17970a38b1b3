import type { DeliveryType } from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import { announce } from "../../infrastructure/changes/announce.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";

export type DeliveryRow = Selectable<Tables["notification_deliveries"]>;

/** How long a delivery is attempted. */
export const ATTEMPTED_MS = DAY_MS;

interface NewDelivery {
  organizationID: string;
  channelID: string;
  ruleID: string | null;
  type: DeliveryType;
  title: string;
  body: string;
  now: Date;
}

export async function insertDelivery(
  tx: UnauditedWriter,
  { organizationID, channelID, ruleID, type, title, body, now }: NewDelivery,
): Promise<DeliveryRow> {
  const row = await tx
    .insertInto("notification_deliveries")
    .values({
      id: newId("delivery"),
      organization_id: organizationID,
      channel_id: channelID,
      rule_id: ruleID,
      type,
      title,
      body,
      state: "PENDING",
      attempts: 0,
      created_at: now,
      next_attempt_at: now,
      expires_at: new Date(now.getTime() + ATTEMPTED_MS),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await announceDelivery(tx, row);
  return row;
}

export const announceDelivery = (
  tx: UnauditedWriter,
  { id, organization_id: organizationID }: Pick<DeliveryRow, "id" | "organization_id">,
): Promise<void> => announce(tx, { noun: "notification-deliveries", id, organizationID });
