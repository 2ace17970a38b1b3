/** Work that goes on beside requests. Every process runs it; the database decides who does what. */
import { deleteExpiredSignatures } from "../features/agents/envelope.service.ts";
import { createPresenceSweep } from "../features/agents/presence.service.ts";
import type { Context } from "../infrastructure/context/context.ts";
import { stepRotations } from "../features/control/ca-rotations.service.ts";
import { revokeWider } from "../features/control/wider-certificates.service.ts";
import { deleteExpiredCertificates } from "../nouns/certificates/certificates.service.ts";
import { deleteExpiredPlans } from "../features/import/import.queries.ts";
import { deleteUnusedBrowsers } from "../nouns/auth/known-browsers.service.ts";
import { deleteExpiredMagicLinks } from "../nouns/auth/magic-links.service.ts";
import { deleteExpiredSessions } from "../nouns/auth/sessions.service.ts";
import { deleteExpiredSetups } from "../nouns/auth/totp-setup.service.ts";
import { deleteFinishedJobs } from "../nouns/jobs/jobs.service.ts";
import { deleteExpiredSignIns } from "../nouns/sso/sign-ins.service.ts";
import { deleteExpiredSsoSessions } from "../nouns/sso/sso-sessions.service.ts";
import { deleteExpiredEndpointRequests } from "../nouns/device-requests/device-requests.service.ts";
import { deleteExpiredCommands } from "../nouns/host-commands/host-commands.service.ts";
import { deleteExpiredLimits } from "../infrastructure/http/rate-limit.ts";
import { MINUTE_MS } from "../infrastructure/time/durations.ts";

const SEAL_MS = 500;
const TIDY_MS = 10 * MINUTE_MS;
const SWEEP_MS = 10_000;
const ROTATE_MS = 5000;
/** Each round is one more list for every host of a network: many at once are better than one after the other. */
const REVOKE_MS = MINUTE_MS;

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
  const db = ctx.unaudited;
  await deleteExpiredLimits(db, now);
  await deleteExpiredMagicLinks(db, now);
  await deleteExpiredSetups(db, now);
  await deleteExpiredSessions(db, now);
  await deleteExpiredSsoSessions(db, now);
  await deleteExpiredSignIns(db, now);
  await deleteExpiredPlans(db, now);
  await deleteUnusedBrowsers(db, now);
  await deleteFinishedJobs(db, now);
  await deleteExpiredSignatures(ctx, now);
  await deleteExpiredCommands(ctx, now);
  await deleteExpiredEndpointRequests(ctx, now);
  await deleteExpiredCertificates(ctx, now);
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
