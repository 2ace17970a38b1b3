/** One attempt to deliver a message, and its result. */
import type { NotificationChannelType } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { lockNotificationChannelsForKeyShare } from "../../infrastructure/db/locks.ts";
import type { MailContent } from "../../infrastructure/db/work-tables.ts";
import type { OutgoingEdges } from "../../infrastructure/outgoing/pinned-connections.ts";
import { HOUR_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import { backoffMs } from "../../infrastructure/scheduling/backoff.ts";
import { openSecrets, openUrl } from "../../nouns/notification-channels/channel-secrets.ts";
import { queueMail } from "../mail/queue-mail.ts";
import { type Batch, batchID, readBatch } from "./audit-stream.ts";
import { announceDelivery, type DeliveryRow } from "./insert-delivery.ts";
import { type RequestResult, sendRequest } from "./send-request.ts";
import { signatureHeaders } from "./signature.ts";

const BACKOFF = { minMs: 5 * SECOND_MS, maxMs: HOUR_MS };
/** Up to a fifth of the delay, so that many deliveries don't repeat at the same time. */
const JITTER = 0.2;

export interface ClaimedDelivery extends DeliveryRow {
  channel_type: NotificationChannelType;
  addresses: string[];
  url: Buffer | null;
  secret: Buffer | null;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
}

interface Attempt extends RequestResult {
  headers: Record<string, string> | null;
}

export const isBatch = (delivery: DeliveryRow): delivery is DeliveryRow & Batch =>
  delivery.first_sequence !== null && delivery.last_sequence !== null;

export async function attemptDelivery(
  ctx: Context,
  edges: OutgoingEdges,
  delivery: ClaimedDelivery,
): Promise<void> {
  if (delivery.channel_type === "EMAIL") await queueMails(ctx, delivery);
  else await finishAttempt(ctx, delivery, await post(ctx, edges, delivery));
}

/** The mails and the result are one transaction, so that each mail is queued once. */
async function queueMails(ctx: Context, delivery: ClaimedDelivery): Promise<void> {
  const now = ctx.clock();
  const content = JSON.parse(delivery.body ?? "") as MailContent;
  await ctx.unaudited.transaction().execute(async (tx) => {
    const isFinished = await recordResult(tx, delivery, {
      now,
      attempt: { headers: null, status: null, body: "", error: null },
    });
    if (!isFinished) return;
    for (const email of delivery.addresses) await queueMail(tx, { kind: "notice", email, content, now });
  });
}

async function post(ctx: Context, edges: OutgoingEdges, delivery: ClaimedDelivery): Promise<Attempt> {
  const now = ctx.clock();
  const body = isBatch(delivery) ? await readBatch(ctx.reader, delivery) : (delivery.body ?? "");
  const channel = { ...delivery, id: delivery.channel_id };
  const url = openUrl(ctx.secrets, channel) ?? "";
  const headers = {
    "content-type": isBatch(delivery) ? "application/x-ndjson" : "application/json",
    "user-agent": `Lightkeeper/${ctx.version}`,
    ...signatureHeaders({
      id: isBatch(delivery) ? batchID(delivery) : delivery.id,
      at: now,
      body,
      secrets: openSecrets(ctx.secrets, channel, now),
    }),
  };
  return { headers, ...(await sendRequest(ctx.config, edges, { url, headers, body })) };
}

async function finishAttempt(ctx: Context, delivery: ClaimedDelivery, attempt: Attempt): Promise<void> {
  const now = ctx.clock();
  await ctx.unaudited.transaction().execute(async (tx) => {
    await recordResult(tx, delivery, { now, attempt });
  });
}

function nextAttemptAt({ attempts, expires_at }: DeliveryRow, now: Date): Date | null {
  const delayMs = backoffMs(BACKOFF, attempts - 1) * (1 - JITTER * Math.random());
  const next = new Date(now.getTime() + delayMs);
  return expires_at === null || next < expires_at ? next : null;
}

/** Returns false if another process has recorded a later attempt, or if the delivery was deleted. */
async function recordResult(
  tx: UnauditedWriter,
  delivery: ClaimedDelivery,
  { now, attempt: { headers, ...response } }: { now: Date; attempt: Attempt },
): Promise<boolean> {
  // A deletion locks the channel before its deliveries.
  await lockNotificationChannelsForKeyShare(tx, delivery.organization_id, [delivery.channel_id]);
  const isDelivered = response.error === null;
  const next = isDelivered ? null : nextAttemptAt(delivery, now);
  const { numUpdatedRows } = await tx
    .updateTable("notification_deliveries")
    .set({
      state: isDelivered ? "DELIVERED" : next ? "PENDING" : "FAILED",
      request_headers: headers && JSON.stringify(headers),
      response: JSON.stringify(response),
      next_attempt_at: next,
      finished_at: next ? null : now,
    })
    .where("id", "=", delivery.id)
    .where("attempts", "=", delivery.attempts)
    .where("state", "=", "PENDING")
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  await recordChannelState(tx, delivery, { isDelivered, now });
  await announceDelivery(tx, delivery);
  return true;
}

/** The cursor of an audit stream moves with the acknowledged batch. */
async function recordChannelState(
  tx: UnauditedWriter,
  { channel_id, last_sequence }: DeliveryRow,
  { isDelivered, now }: { isDelivered: boolean; now: Date },
): Promise<void> {
  const acknowledged = isDelivered ? last_sequence : null;
  await sql`
    insert into notification_channel_states (channel_id, failing_since, audit_sequence)
      values (${channel_id}, ${isDelivered ? null : now}, ${acknowledged})
    on conflict (channel_id) do update set
      failing_since = case when ${isDelivered} then null
        else coalesce(notification_channel_states.failing_since, excluded.failing_since) end,
      audit_sequence = greatest(notification_channel_states.audit_sequence, excluded.audit_sequence)`.execute(
    tx,
  );
}
