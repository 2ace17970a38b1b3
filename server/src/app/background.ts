/** Work that goes on beside requests. Every process runs it; the database decides who does what. */
import { deleteExpiredEndpointAuth } from "../features/agents/endpoint-auth.service.ts";
import { deleteExpiredSignatures } from "../features/agents/envelope.service.ts";
import { deleteExpiredCommands } from "../features/agents/host-commands.service.ts";
import { createPresenceSweep } from "../features/agents/presence.service.ts";
import type { Context } from "../infrastructure/context/context.ts";
import { stepRotations } from "../features/control/ca-rotations.service.ts";
import { revokeWider } from "../features/control/wider-certificates.service.ts";
import { deleteExpiredCertificates } from "../nouns/certificates/certificates.service.ts";
import { SESSION_IDLE_DAYS_MAX } from "../nouns/auth/identity/find-actor.ts";
import { deleteExpiredLimits } from "../infrastructure/http/rate-limit.ts";
import { DAY_MS, MINUTE_MS } from "../infrastructure/time/durations.ts";

const SEAL_MS = 500;
const TIDY_MS = 10 * MINUTE_MS;
const SWEEP_MS = 10_000;
const ROTATE_MS = 5000;
/** Each round is one more list for every host of a network: many at once are better than one after the other. */
const REVOKE_MS = MINUTE_MS;
/** How long one can ask what became of a bulk change. */
const JOB_KEEP_DAYS = 7;

/** Repeats `work` with a pause between; a failure is logged and the next round tries again. */
function repeat(pauseMs: number, work: () => Promise<unknown>, failed: (error: unknown) => void) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const round = () => {
    running = work()
      .then(() => undefined, failed)
      .finally(() => {
        if (!stopped) timer = setTimeout(round, pauseMs).unref();
      });
  };
  timer = setTimeout(round, pauseMs).unref();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}

/** Removes what has run out. */
export async function tidy(ctx: Context): Promise<void> {
  const now = ctx.clock();
  const idle = new Date(now.getTime() - SESSION_IDLE_DAYS_MAX * DAY_MS);
  const db = ctx.unaudited;
  await deleteExpiredLimits(db, now);
  await db.deleteFrom("magic_links").where("expires_at", "<=", now).execute();
  await db.deleteFrom("totp_setups").where("expires_at", "<=", now).execute();
  await db.deleteFrom("auth_tokens").where("expires_at", "<=", now).execute();
  await db.deleteFrom("oidc_sessions").where("expires_at", "<=", now).execute();
  await db.deleteFrom("oidc_requests").where("expires_at", "<=", now).execute();
  await db.deleteFrom("import_plans").where("expires_at", "<=", now).execute();
  await db.deleteFrom("known_browsers").where("last_used_at", "<=", idle).execute();
  await deleteExpiredSignatures(ctx, now);
  await deleteExpiredCommands(ctx, now);
  await deleteExpiredEndpointAuth(ctx, now);
  await deleteExpiredCertificates(ctx, now);
  const forgotten = new Date(now.getTime() - JOB_KEEP_DAYS * DAY_MS);
  await db.deleteFrom("jobs").where("finished_at", "<=", forgotten).execute();
  await db
    .deleteFrom("sessions")
    .where((eb) => eb.or([eb("expires_at", "<=", now), eb("last_used_at", "<=", idle)]))
    .execute();
}

async function sealAll(ctx: Context): Promise<void> {
  while ((await ctx.seal()) > 0);
}

export function startBackground(ctx: Context): () => Promise<void> {
  const failed = (error: unknown) => ctx.log.warn({ err: error }, "background work failed");
  const stops = [
    repeat(SEAL_MS, () => sealAll(ctx), failed),
    repeat(SWEEP_MS, createPresenceSweep(ctx), failed),
    repeat(ROTATE_MS, () => stepRotations(ctx), failed),
    repeat(REVOKE_MS, () => revokeWider(ctx), failed),
    repeat(TIDY_MS, () => tidy(ctx), failed),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await sealAll(ctx).catch(failed);
  };
}
