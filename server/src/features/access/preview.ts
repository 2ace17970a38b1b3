/** What a change would open and close. The change runs in a transaction that is rolled back, so nothing is written. */
import { ACCESS_CHANGES_MAX, type AccessPreview } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { limitLockWaits } from "../../infrastructure/db/locks.ts";
import type { Actor } from "../../infrastructure/http/actor.ts";
import type { PreviewWork } from "../../infrastructure/http/dry-runs.ts";
import type { AccessModels, UncommittedModel } from "./access-models.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { presentHost, presentTraffic } from "./answers/present.ts";
import { type Changes, compareNetworks, describeDiff } from "./describe-diff.ts";
import { findDeviceOwnerIDs } from "./device-owner.queries.ts";
import { findBrokenGuarantees } from "./broken-guarantees.ts";
import type { ModelHost } from "./organization-model.ts";

/** Rolls back a transaction that has done what it had to. */
class PreviewFinished extends Error {}

const LOCK_TIMEOUT = "55P03";
/** How long previews wait for another change of the same rows. */
const WAIT_MS_MAX = 5 * SECOND_MS;

/** Repeats work that had to wait for a lock. */
async function repeatWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isLocked = (error as { code?: string }).code === LOCK_TIMEOUT;
      if (!isLocked || performance.now() - startedAt > WAIT_MS_MAX) throw error;
    }
  }
}

export function createPreview(ctx: Context, models: AccessModels): PreviewWork {
  async function readAfter(work: Parameters<PreviewWork>[0], organizationID: string) {
    let uncommitted: UncommittedModel | undefined;
    try {
      await ctx.audited(async (tx) => {
        await limitLockWaits(tx);
        const outcome = await work(tx);
        if (outcome.kind === "rejected") throw outcome.error;
        uncommitted = await models.readUncommitted(tx, organizationID);
        throw new PreviewFinished();
      });
    } catch (error) {
      if (!(error instanceof PreviewFinished)) throw error;
    }
    if (!uncommitted) throw new Error("The transaction ended without a result");
    return uncommitted;
  }

  return async (work, actor) => {
    const uncommitted = await repeatWhileLocked(() => readAfter(work, actor.organization.id));
    const ownerIDs = await findOwnerIDs(ctx, actor);
    return describeChange(uncommitted, { ownerIDs, now: ctx.clock() });
  };
}

const findOwnerIDs = async ({ reader }: Context, actor: Actor): Promise<readonly string[]> =>
  actor.type === "apiKey" ? [] : findDeviceOwnerIDs(reader, actor.organization.id, actor.email);

function describeChange(
  uncommitted: UncommittedModel,
  { ownerIDs, now }: { ownerIDs: readonly string[]; now: Date },
): AccessPreview {
  const diffs = compareNetworks(uncommitted);
  return {
    ...describeDiff(diffs, ACCESS_CHANGES_MAX),
    brokenGuarantees: findBrokenGuarantees(uncommitted, now),
    ownAccessLost:
      ownerIDs.length > 0
        ? findOwnAccessLost(
            diffs.flatMap(({ closed }) => closed),
            new Set(ownerIDs),
          )
        : [],
  };
}

function findOwnAccessLost(
  closed: Changes,
  ownerIDs: ReadonlySet<string | null>,
): AccessPreview["ownAccessLost"] {
  return closed.flatMap(({ change: { traffic, sources, destinations, regions } }) =>
    (sources as readonly ModelHost[])
      .filter((host) => ownerIDs.has(host.ownerID))
      .map((host) => ({
        host: presentHost(host),
        traffic: presentTraffic(traffic),
        destinationCount: destinations.filter(({ id }) => id !== host.id).length + regions.length,
      })),
  );
}
