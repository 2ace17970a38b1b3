/** Turns due events into deliveries: all events of a rule become one message to each of its channels. */
import type { NotificationChannelType } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import {
  lockNotificationChannelsForKeyShare,
  lockOrganizationForKeyShare,
} from "../../infrastructure/db/locks.ts";
import type { EventItem } from "../../infrastructure/db/notification-tables.ts";
import { insertDelivery } from "./insert-delivery.ts";
import { ITEMS_MAX, titleOf } from "./messages.ts";
import { bodyOf } from "./payloads.ts";
import type { Rule } from "./record-event.ts";

interface DueRule extends Rule {
  is_enabled: boolean;
  channel_ids: string[];
}
type Candidate = Pick<DueRule, "id" | "organization_id" | "channel_ids">;

/** The others follow in the next round. */
const RULES_PER_ROUND = 1000;

interface Channel {
  id: string;
  type: NotificationChannelType;
}

const hasDueEvents = (now: Date) =>
  sql`exists (select from notification_events where rule_id = rules.id and due_at <= ${now})`;

async function listDueRules(db: UnauditedWriter, now: Date): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select id, organization_id, channel_ids from notification_rules rules where ${hasDueEvents(now)}
      limit ${RULES_PER_ROUND}`.execute(db);
  return rows;
}

/**
 * Locks a rule with due events, so that no other process sends a part of them. Deletions lock the organization, then
 * channels and then rules, so this has the same order.
 */
async function claimRule(
  tx: UnauditedWriter,
  { id, organization_id: organizationID, channel_ids: channelIDs }: Candidate,
  now: Date,
): Promise<DueRule | undefined> {
  await lockOrganizationForKeyShare(tx, organizationID);
  await lockNotificationChannelsForKeyShare(tx, organizationID, channelIDs);
  const { rows } = await sql<DueRule>`
    select * from notification_rules rules where id = ${id} and ${hasDueEvents(now)}
      for no key update skip locked`.execute(tx);
  return rows[0];
}

async function takeEvents(
  tx: UnauditedWriter,
  ruleID: string,
): Promise<{ count: number; items: EventItem[] }> {
  const { rows } = await sql<{ count: number; items: EventItem[] }>`
    with taken as (delete from notification_events where rule_id = ${ruleID} returning *)
    select count, items from taken order by id`.execute(tx);
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    items: rows.flatMap(({ items }) => items).slice(0, ITEMS_MAX),
  };
}

async function listChannels(
  tx: UnauditedWriter,
  { organization_id, channel_ids }: DueRule,
): Promise<Channel[]> {
  const { rows } = await sql<Channel>`
    select id, type from notification_channels
      where organization_id = ${organization_id} and id = any(${channel_ids}::text[]) and is_enabled`.execute(
    tx,
  );
  return rows;
}

async function queueMessage({ unaudited, config }: Context, candidate: Candidate, now: Date): Promise<void> {
  await unaudited.transaction().execute(async (tx) => {
    const rule = await claimRule(tx, candidate, now);
    if (!rule) return;
    const { count, items } = await takeEvents(tx, rule.id);
    if (!rule.is_enabled) return;
    const { event_type: type, organization_id: organizationID, id: ruleID } = rule;
    const title = titleOf(type, count, items);
    const message = { type, organizationID, ruleID, at: now, title, count, items };
    for (const channel of await listChannels(tx, rule))
      await insertDelivery(tx, {
        organizationID,
        channelID: channel.id,
        ruleID,
        type,
        title,
        body: bodyOf(channel.type, message, config.appURL),
        now,
      });
  });
}

export async function queueMessages(ctx: Context, isStopped: () => boolean): Promise<void> {
  const now = ctx.clock();
  for (const candidate of await listDueRules(ctx.unaudited, now)) {
    if (isStopped()) return;
    await queueMessage(ctx, candidate, now);
  }
}
