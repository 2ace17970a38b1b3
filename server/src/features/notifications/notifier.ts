/** Finds events and queues messages about them. Every process runs it; row locks keep two from doing the same. */
import type { Context } from "../../infrastructure/context/context.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { detectAuditEvents } from "./audit-events.ts";
import { queueAuditBatches } from "./audit-stream.ts";
import { detectConditions } from "./conditions.ts";
import { queueMessages } from "./queue-messages.ts";

const POLL_MS = 2 * SECOND_MS;

/** `wakeDelivery` is called when something may have been queued. */
export function createNotifier(ctx: Context, wakeDelivery: () => void): Worker {
  return createWorker({
    pollMs: POLL_MS,
    work: async (isStopped) => {
      await detectAuditEvents(ctx, isStopped);
      await detectConditions(ctx, isStopped);
      await queueMessages(ctx, isStopped);
      await queueAuditBatches(ctx, isStopped);
      wakeDelivery();
    },
    onError: (error) => ctx.log.warn({ err: error }, "failed to find notifications"),
  });
}
