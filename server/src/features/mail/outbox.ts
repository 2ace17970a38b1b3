/** Sends queued mail when it is due. Any process may claim a job. */
import { type Selectable, sql } from "kysely";
import { CLOCK_SKEW_MS_MAX } from "../../infrastructure/time/clock.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import type { Message } from "../../infrastructure/mail/mailer.ts";
import { HOUR_MS, MINUTE_MS } from "../../infrastructure/time/durations.ts";
import { backoffMs } from "../../infrastructure/scheduling/backoff.ts";

export type MailJob = Selectable<Tables["mail_jobs"]>;
export type Compose = (job: MailJob) => Promise<Message | undefined>;

const POLL_MS = 2000;
const ATTEMPTS_MAX = 8;

const BACKOFF = { minMs: MINUTE_MS, maxMs: HOUR_MS };
/** How long one attempt may take; after that, another process may claim the job. */
const CLAIM_MS = MINUTE_MS;

/** A job whose next attempt is later than the longest delay was scheduled before the clock was set back. */
const isDue = (now: Date) => sql<boolean>`(next_attempt_at <= ${now} or next_attempt_at > ${now}::timestamptz
  + make_interval(secs => (least(${BACKOFF.minMs} * power(2, attempts), ${BACKOFF.maxMs}) + ${CLOCK_SKEW_MS_MAX}) / 1000.0))`;

function claimDueJob(ctx: Context): Promise<MailJob | undefined> {
  const now = ctx.clock();
  return ctx.unaudited
    .updateTable("mail_jobs")
    .set((eb) => ({
      attempts: eb("attempts", "+", 1),
      next_attempt_at: new Date(now.getTime() + CLAIM_MS),
    }))
    .where("id", "=", (eb) =>
      eb
        .selectFrom("mail_jobs")
        .select("id")
        .where(isDue(now))
        .orderBy("next_attempt_at")
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst();
}

/** Sends the mail and deletes the job, or schedules the next attempt. */
async function attempt(ctx: Context, compose: Compose, job: MailJob): Promise<void> {
  try {
    const message = await compose(job);
    if (message) await ctx.mailer.send(message);
  } catch (error) {
    ctx.log.warn({ err: error, job: job.id, attempts: job.attempts }, "failed to send mail");
    if (job.attempts < ATTEMPTS_MAX) {
      const next = new Date(ctx.clock().getTime() + backoffMs(BACKOFF, job.attempts));
      await ctx.unaudited
        .updateTable("mail_jobs")
        .set({ next_attempt_at: next })
        .where("id", "=", job.id)
        .execute();
      return;
    }
    ctx.log.error({ job: job.id }, "gave up on mail after the last attempt");
  }
  await ctx.unaudited.deleteFrom("mail_jobs").where("id", "=", job.id).execute();
}

export function createOutbox(ctx: Context, compose: Compose): Worker {
  return createWorker({
    pollMs: POLL_MS,
    work: async (isStopped) => {
      for (let job = await claimDueJob(ctx); job && !isStopped(); job = await claimDueJob(ctx))
        await attempt(ctx, compose, job);
    },
    onError: (error) => ctx.log.warn({ err: error }, "failed to read the mail queue"),
  });
}
