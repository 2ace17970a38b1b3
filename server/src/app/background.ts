/** Work that runs beside requests. Every process runs it; locks in the database keep two from doing the same. */
import { deleteExpiredSignatures } from "../features/agents/envelope.service.ts";
import { createPresenceSweep } from "../features/agents/presence.service.ts";
import { deleteOldChanges } from "../features/access/access-state.queries.ts";
import type { Context } from "../infrastructure/context/context.ts";
import { stepRotations } from "../features/control/ca-rotations.service.ts";
import { stepUpgrades } from "../features/control/network-upgrades.service.ts";
import { revokeWiderCertificates } from "../features/control/wider-certificates.service.ts";
import { deleteExpiredCertificates } from "../nouns/certificates/certificates.service.ts";
import { deleteOldDeliveries } from "../features/notifications/deliveries.service.ts";
import { deleteExpiredPlans } from "../features/import/import.queries.ts";
import { deleteUnusedBrowsers } from "../nouns/auth/known-browsers.service.ts";
import { deleteExpiredMagicLinks } from "../nouns/auth/magic-links.service.ts";
import { deleteExpiredSessions } from "../nouns/auth/sessions.service.ts";
import { deleteExpiredSetups } from "../nouns/auth/totp-setup.service.ts";
import { recordAcknowledgments, YOUNG_BLOCK_MS } from "../nouns/hosts/host-blocks.service.ts";
import { deleteFinishedJobs } from "../nouns/jobs/jobs.service.ts";
import { deleteExpiredSignIns } from "../nouns/sso/sign-ins.service.ts";
import { deleteExpiredSsoSessions } from "../nouns/sso/sso-sessions.service.ts";
import { deleteExpiredEndpointRequests } from "../nouns/device-requests/device-requests.service.ts";
import { deleteExpiredCommands } from "../nouns/host-commands/host-commands.service.ts";
import { deleteExpiredLimits } from "../infrastructure/http/rate-limit.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../infrastructure/time/durations.ts";

const SEAL_MS = 500;
const DELETE_EXPIRED_MS = 10 * MINUTE_MS;
const PRESENCE_MS = 10 * SECOND_MS;
const ROTATE_MS = 5 * SECOND_MS;
const YOUNG_BLOCKS_MS = SECOND_MS;
const BLOCKS_MS = MINUTE_MS;
/** Each round sends a new blocklist to every host of a network, so certificates are revoked together. */
const REVOKE_MS = MINUTE_MS;

/** Repeats `work` with a pause in between; returns a function that stops it. */
function repeat(pauseMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void) {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const runRound = () => {
    running = work()
      .then(() => undefined, onError)
      .finally(() => {
        if (!isStopped) timer = setTimeout(runRound, pauseMs).unref();
      });
  };
  timer = setTimeout(runRound, pauseMs).unref();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}

export async function deleteExpired(ctx: Context): Promise<void> {
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
  await deleteOldDeliveries(db, now);
  await deleteExpiredSignatures(ctx, now);
  await deleteExpiredCommands(ctx, now);
  await deleteExpiredEndpointRequests(ctx, now);
  await deleteExpiredCertificates(ctx, now);
  await deleteOldChanges(db, new Date(now.getTime() - HOUR_MS));
}

async function sealAll(ctx: Context): Promise<void> {
  while ((await ctx.seal()) > 0);
}

const recordYoungAcknowledgments = (ctx: Context) =>
  recordAcknowledgments(ctx, new Date(ctx.clock().getTime() - YOUNG_BLOCK_MS));

export function startBackground(ctx: Context): () => Promise<void> {
  const onError = (error: unknown) => ctx.log.warn({ err: error }, "background work failed");
  const stops = [
    repeat(SEAL_MS, () => sealAll(ctx), onError),
    repeat(PRESENCE_MS, createPresenceSweep(ctx), onError),
    repeat(ROTATE_MS, () => stepRotations(ctx), onError),
    repeat(ROTATE_MS, () => stepUpgrades(ctx), onError),
    repeat(YOUNG_BLOCKS_MS, () => recordYoungAcknowledgments(ctx), onError),
    repeat(BLOCKS_MS, () => recordAcknowledgments(ctx, new Date(0)), onError),
    repeat(REVOKE_MS, () => revokeWiderCertificates(ctx), onError),
    repeat(DELETE_EXPIRED_MS, () => deleteExpired(ctx), onError),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await sealAll(ctx).catch(onError);
  };
}
