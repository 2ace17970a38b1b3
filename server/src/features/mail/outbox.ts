/** Sends what was asked for, once it is due, from whichever process gets to it first. */
import { type Selectable, sql } from "kysely";
import { CLOCK_SKEW_MS_MAX } from "../../infrastructure/time/clock.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import type { Message } from "../../infrastructure/mail/mailer.ts";

export type MailJob = Selectable<Tables["mail_jobs"]>;
export type Compose = (job: MailJob) => Promise<Message | undefined>;

const POLL_MS = 2000;
const ATTEMPTS_MAX = 8;

const BACKOFF_MS_MIN = 60_000;
const BACKOFF_MS_MAX = 3_600_000;

const backoffMs = (attempts: number) => Math.min(BACKOFF_MS_MIN * 2 ** attempts, BACKOFF_MS_MAX);

/** When a mail is due; one that waits longer than the pause was queued before the clock was set back. */
const isDue = (now: Date) => sql<boolean>`(next_attempt_at <= ${now} or next_attempt_at > ${now}::timestamptz
  + make_interval(secs => (least(${BACKOFF_MS_MIN} * power(2, attempts), ${BACKOFF_MS_MAX}) + ${CLOCK_SKEW_MS_MAX}) / 1000.0))`;

export function createOutbox(ctx: Context, compose: Compose): Worker {
  /** Takes a job for as long as an attempt may last; if this process dies, another one takes it then. */
  async function claim(): Promise<MailJob | undefined> {
    const now = ctx.clock();
    return ctx.bookkeeper
      .updateTable("mail_jobs")
      .set((eb) => ({ attempts: eb("attempts", "+", 1), next_attempt_at: new Date(now.getTime() + 60_000) }))
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

  async function attempt(job: MailJob): Promise<void> {
    try {
      const message = await compose(job);
      if (message) await ctx.mailer.send(message);
    } catch (error) {
      ctx.log.warn({ err: error, job: job.id, attempts: job.attempts }, "a mail could not be sent");
      if (job.attempts < ATTEMPTS_MAX) {
        const next = new Date(ctx.clock().getTime() + backoffMs(job.attempts));
        await ctx.bookkeeper
          .updateTable("mail_jobs")
          .set({ next_attempt_at: next })
          .where("id", "=", job.id)
          .execute();
        return;
      }
      ctx.log.error({ job: job.id }, "a mail was given up");
    }
    await ctx.bookkeeper.deleteFrom("mail_jobs").where("id", "=", job.id).execute();
  }

  return createWorker({
    pollMs: POLL_MS,
    work: async (isStopped) => {
      for (let job = await claim(); job && !isStopped(); job = await claim()) await attempt(job);
    },
    failed: (error) => ctx.log.warn({ err: error }, "the mail queue could not be read"),
  });
}
