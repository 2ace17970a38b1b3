/**
 * Keeps `failing_since` current: a change may repair a guarantee or break a suspended one, and other reported versions
 * of Nebula change what rules mean. Every process runs the monitor; the lock of a guarantee's row and a second
 * evaluation keep two processes from recording the same.
 */
import { setImmediate } from "node:timers/promises";
import type { LoadNetworks } from "../../features/access/answers/loaded-network.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockGuaranteesForUpdate } from "../../infrastructure/db/locks.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { guaranteeEntry, stateEntry } from "./guarantee-entry.ts";
import { findChangedOrganizations } from "./guarantee-monitor.queries.ts";
import { evaluateInNetworks, type GuaranteeResult, toAccessGuarantee } from "./guarantee-state.ts";
import { type GuaranteeRow, listGuarantees } from "./guarantees.queries.ts";

const POLL_MS = 5 * SECOND_MS;

export function createGuaranteeMonitor(ctx: Context, networks: LoadNetworks): Worker {
  let snapshot: string | undefined;
  /** Organizations whose check has failed stay here until the next round. */
  const due = new Set<string>();
  return createWorker({
    pollMs: POLL_MS,
    work: async (isStopped) => {
      const found = await findChangedOrganizations(ctx.reader, snapshot, ctx.clock());
      snapshot = found.snapshot;
      for (const id of found.organizationIDs) due.add(id);
      for (const organizationID of due) {
        if (isStopped()) return;
        try {
          await checkOrganization({ ctx, networks, organizationID, now: ctx.clock() });
          due.delete(organizationID);
        } catch (error) {
          ctx.log.warn({ err: error, organizationID }, "failed to check guarantees");
        }
      }
    },
    onError: (error) => ctx.log.warn({ err: error }, "failed to find guarantees to check"),
  });
}

interface Check {
  ctx: Context;
  networks: LoadNetworks;
  organizationID: string;
  now: Date;
}

/** Another process has recorded the states. */
class NothingOutdatedError extends Error {}

async function checkOrganization(check: Check): Promise<void> {
  const { ctx, organizationID } = check;
  const outdated = await findOutdated(check, await listGuarantees(ctx.reader, organizationID));
  if (outdated.length === 0) return;
  const ids = outdated.map(({ row }) => row.id);
  try {
    await ctx.audited(async (tx) => done({}, ...(await recordStates(tx, check, ids))));
  } catch (error) {
    if (!(error instanceof NothingOutdatedError)) throw error;
  }
}

interface Outdated {
  row: GuaranteeRow;
  result: GuaranteeResult;
}

/** The guarantees that start or stop failing, or whose suspension has ended. */
async function findOutdated(
  { networks, organizationID, now }: Check,
  rows: readonly GuaranteeRow[],
): Promise<Outdated[]> {
  if (rows.length === 0) return [];
  const loaded = await networks.all(organizationID);
  const outdated: Outdated[] = [];
  for (const row of rows) {
    const result = evaluateInNetworks(loaded, toAccessGuarantee(row));
    if (hasStateChanged(row, result) || hasSuspensionEnded(row, now)) outdated.push({ row, result });
    // Requests don't wait until all guarantees of a large organization are evaluated.
    await setImmediate();
  }
  return outdated;
}

const hasStateChanged = (row: GuaranteeRow, { brokenPairCount }: GuaranteeResult) =>
  (row.failing_since !== null) !== brokenPairCount > 0;

const hasSuspensionEnded = ({ suspended_until }: GuaranteeRow, now: Date) =>
  suspended_until !== null && suspended_until <= now;

/** Evaluates again what is locked, so that an older result never replaces a newer one. */
async function recordStates(
  tx: Writer,
  check: Check,
  ids: readonly string[],
): Promise<[AuditEntry, ...AuditEntry[]]> {
  const locked = await lockGuaranteesForUpdate(tx, check.organizationID, ids);
  const entries: AuditEntry[] = [];
  for (const outdated of await findOutdated(check, locked))
    entries.push(...(await recordState(tx, outdated, check.now)));
  const [first, ...rest] = entries;
  if (!first) throw new NothingOutdatedError();
  return [first, ...rest];
}

async function recordState(tx: Writer, { row: before, result }: Outdated, now: Date): Promise<AuditEntry[]> {
  const { id, organization_id: organizationID, failing_since } = before;
  const isSuspensionOver = hasSuspensionEnded(before, now);
  const after = await tx
    .updateTable("guarantees")
    .set({
      failing_since: result.brokenPairCount > 0 ? (failing_since ?? now) : null,
      ...(isSuspensionOver && { suspended_until: null, suspension_reason: null }),
    })
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const author = { organizationID, actor: { type: "system" } } as const;
  const entries: AuditEntry[] = [];
  if (isSuspensionOver) entries.push(guaranteeEntry(author, id, { event: "UPDATED", before, after }));
  if (hasStateChanged(before, result)) entries.push(stateEntry(author, { before, after, result }));
  return entries;
}
