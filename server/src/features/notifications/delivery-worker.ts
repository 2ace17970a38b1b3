/**
 * Attempts due deliveries, several at a time. A process claims a delivery for longer than an attempt can take; if the
 * process is killed, another one repeats the attempt with the same ID.
 */
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import type { OutgoingEdges } from "../../infrastructure/outgoing/pinned-connections.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { attemptDelivery, type ClaimedDelivery, isBatch } from "./attempt-delivery.ts";

const POLL_MS = 2 * SECOND_MS;
const CLAIM_MS = 30 * SECOND_MS;
const CONCURRENT_MAX = 32;
/** Receivers that don't respond must not delay the messages of other organizations. */
const CONCURRENT_PER_ORGANIZATION_MAX = 8;

/** Channels get one message at a time, in order. */
async function claimDelivery(
  { unaudited, clock }: Context,
  running: ReadonlySet<ClaimedDelivery>,
): Promise<ClaimedDelivery | undefined> {
  const now = clock();
  const channelIDs = [...running].map(({ channel_id }) => channel_id);
  const organizationIDs = [...running].map(({ organization_id }) => organization_id);
  const busy = [...new Set(organizationIDs)].filter(
    (id) => organizationIDs.filter((other) => other === id).length >= CONCURRENT_PER_ORGANIZATION_MAX,
  );
  const { rows } = await sql<ClaimedDelivery>`
    update notification_deliveries deliveries
      set attempts = attempts + 1, next_attempt_at = ${new Date(now.getTime() + CLAIM_MS)}
      from notification_channels channels
      where channels.id = deliveries.channel_id and deliveries.id = (
        select due.id from notification_deliveries due join notification_channels on notification_channels.id = channel_id
          where state = 'PENDING' and next_attempt_at <= ${now} and is_enabled
            and channel_id <> all(${channelIDs}::text[]) and due.organization_id <> all(${busy}::text[])
          order by next_attempt_at, due.created_at limit 1 for update of due skip locked)
      returning deliveries.*, channels.type as channel_type, channels.addresses, channels.url, channels.secret,
        channels.previous_secret, channels.previous_secret_expires_at`.execute(unaudited);
  return rows[0];
}

/** `wakeNotifier` is called when a part of an audit log was attempted, because the next one may follow. */
export function createDeliveryWorker(ctx: Context, edges: OutgoingEdges, wakeNotifier: () => void): Worker {
  const onError = (error: unknown) => ctx.log.warn({ err: error }, "failed to deliver a notification");
  return createWorker({
    pollMs: POLL_MS,
    work: async (isStopped) => {
      const running = new Map<ClaimedDelivery, Promise<void>>();
      const start = (delivery: ClaimedDelivery) => {
        const attempt = attemptDelivery(ctx, edges, delivery)
          .catch(onError)
          .then(() => {
            running.delete(delivery);
            if (isBatch(delivery)) wakeNotifier();
          });
        running.set(delivery, attempt);
      };
      for (;;) {
        const canStart = running.size < CONCURRENT_MAX && !isStopped();
        const delivery = canStart ? await claimDelivery(ctx, new Set(running.keys())) : undefined;
        if (delivery) start(delivery);
        else if (running.size > 0) await Promise.race(running.values());
        else return;
      }
    },
    onError,
  });
}
