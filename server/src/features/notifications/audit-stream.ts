/**
 * Sends the audit log to channels of type AUDIT_STREAM, in batches and in the order of its chain. A batch is a range of
 * sequence numbers that is stored before it is sent, and the next one is queued when it was acknowledged: nothing is
 * lost, and a repeated batch has the same ID and content.
 */
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { Reader, UnauditedWriter } from "../../infrastructure/db/client.ts";
import { exportEntries } from "../../nouns/audit/export.ts";
import { announceDelivery } from "./insert-delivery.ts";
import { formatNumber } from "./messages.ts";

const ENTRIES_PER_BATCH = 100;

export interface Batch {
  channel_id: string;
  organization_id: string;
  first_sequence: number;
  last_sequence: number;
}

/** The same for every attempt, also after a restart. */
export const batchID = ({ channel_id, first_sequence, last_sequence }: Batch): string =>
  `${channel_id}-${first_sequence}-${last_sequence}`;

/** The lines of `format=ndjson` of the audit log's export. */
export async function readBatch(
  db: Reader,
  { organization_id, first_sequence, last_sequence }: Batch,
): Promise<string> {
  const count = last_sequence - first_sequence + 1;
  return exportEntries(db, organization_id, { after: first_sequence - 1, count });
}

interface GrownLog {
  channel_id: string;
  organization_id: string;
  audit_sequence: number;
  head: number;
}

async function createStates(db: UnauditedWriter): Promise<void> {
  await sql`
    insert into notification_channel_states (channel_id, audit_sequence)
      select id, stream_after from notification_channels
        where type = 'AUDIT_STREAM'
          and not exists (select from notification_channel_states where channel_id = id)
      on conflict do nothing`.execute(db);
}

/**
 * Locks the state of a channel that has acknowledged everything, but whose log has grown. A deletion locks the
 * organization or the channel before the state, so this locks all of them.
 */
async function claimChannel(tx: UnauditedWriter): Promise<GrownLog | undefined> {
  const { rows } = await sql<GrownLog>`
    select states.channel_id, channels.organization_id, states.audit_sequence, heads.sequence as head
      from notification_channel_states states
      join notification_channels channels on channels.id = states.channel_id
      join organizations on organizations.id = channels.organization_id
      join audit_heads heads on heads.organization_id = channels.organization_id
      where channels.type = 'AUDIT_STREAM' and is_enabled and heads.sequence > states.audit_sequence
        and not exists (select from notification_deliveries batches
          where batches.channel_id = states.channel_id and batches.first_sequence = states.audit_sequence + 1)
      limit 1 for update of states skip locked for key share of channels, organizations skip locked`.execute(
    tx,
  );
  return rows[0];
}

async function queueBatch({ unaudited }: Context, now: Date): Promise<boolean> {
  return unaudited.transaction().execute(async (tx) => {
    const log = await claimChannel(tx);
    if (!log) return false;
    const first = log.audit_sequence + 1;
    const last = Math.min(log.head, log.audit_sequence + ENTRIES_PER_BATCH);
    const row = await tx
      .insertInto("notification_deliveries")
      .values({
        id: newId("delivery"),
        organization_id: log.organization_id,
        channel_id: log.channel_id,
        type: "AUDIT_LOG",
        title:
          first === last
            ? `Audit log entry ${formatNumber(first)}`
            : `Audit log entries ${formatNumber(first)} to ${formatNumber(last)}`,
        first_sequence: first,
        last_sequence: last,
        state: "PENDING",
        attempts: 0,
        created_at: now,
        next_attempt_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning(["id", "organization_id"])
      .executeTakeFirst();
    if (row) await announceDelivery(tx, row);
    return true;
  });
}

export async function queueAuditBatches(ctx: Context, isStopped: () => boolean): Promise<void> {
  await createStates(ctx.unaudited);
  while (!isStopped() && (await queueBatch(ctx, ctx.clock())));
}
