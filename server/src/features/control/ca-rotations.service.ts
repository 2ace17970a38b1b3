/**
 * Replaces the CA of a network without disconnecting hosts: every host trusts the new CA before it signs, and has a
 * certificate of it before the old CA is retired. The step is stored in the database, so that any process can take
 * the next one, and a kill between two steps loses nothing.
 */
import type { AuditActor } from "@lightkeeper/contract";
import {
  createPendingCa,
  moveCa,
} from "../../nouns/certificate-authorities/certificate-authorities.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done, locked, type Outcome, unchanged } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockNetworksForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { CERTIFICATE_DAYS } from "../../nouns/certificates/certificates.service.ts";
import { clearCertificatesOfCa } from "../../nouns/hosts/host-access.service.ts";
import { bumpRevisions, setSigningCa } from "../../nouns/networks/revisions.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { DAY_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import {
  findNetwork,
  findRotation,
  isUpgraded,
  hasReplacedSince,
  listDueNetworks,
  listOpenRotations,
  type RotationRow,
  waitingHosts,
} from "./ca-rotations.queries.ts";

/** A CA is replaced a year before it expires, because its certificates are valid for up to a year. */
const ROTATE_BEFORE_EXPIRY_MS = CERTIFICATE_DAYS * DAY_MS;

/**
 * An idle tunnel keeps its certificate until the host's next message to its lighthouses, once a minute. If the old CA
 * were retired earlier, the tunnel would close, and the lighthouses couldn't find the host.
 */
export const TUNNEL_RENEWAL_MS = 75 * SECOND_MS;

export interface StartRotation {
  organizationID: string;
  actor: AuditActor;
  networkID: string;
  force: boolean;
  now: Date;
}

/** Starts a rotation, or returns the one in progress. */
export async function startRotation(
  ctx: Context,
  tx: Writer,
  { organizationID, actor, networkID, force, now }: StartRotation,
): Promise<Outcome<RotationRow>> {
  if (!(await findNetwork(tx, organizationID, networkID))) throw new ApiError("ERR_NOT_FOUND");
  const before = await findRotation(tx, networkID);
  if (before && isInProgress(before, force)) return unchanged(before);
  // Read again: another request may have changed both while this one waited for the lock.
  await lockNetworksForNoKeyUpdate(tx, organizationID, [networkID]);
  const network = await findNetwork(tx, organizationID, networkID);
  if (!network) throw new ApiError("ERR_NOT_FOUND");
  const current = await findRotation(tx, networkID);
  if (current && isInProgress(current, force)) return locked(current);
  const entry = (after: RotationRow): AuditEntry => ({
    organizationID,
    actor,
    target: { type: "network", id: networkID },
    event: "UPDATED",
    before: { rotation: current ? auditRotation(current) : null },
    after: { rotation: auditRotation(after) },
    networkID,
  });
  if (current && current.step !== "DONE") {
    const forced = await writeRotation(tx, { ...current, is_forced: true });
    return done(forced, entry(forced));
  }
  if (await isUpgraded(tx, networkID))
    throw new ApiError("ERR_INVALID_VALUE", {
      message: "the network is being upgraded; finish or revert the upgrade first",
    });
  const { ca, entries } = await createPendingCa(ctx, tx, { network, now });
  await bumpRevisions(tx, organizationID, [networkID]);
  const started = await writeRotation(tx, {
    network_id: networkID,
    organization_id: organizationID,
    old_ca_id: network.signing_ca_id,
    new_ca_id: ca.id,
    step: "TRUST",
    step_revision: await revisionOf(tx, networkID),
    is_forced: false,
    started_at: now,
    step_started_at: now,
  });
  return done(started, entry(started), ...entries);
}

/** Whether a request to start a rotation, forced or not, has nothing to change. */
const isInProgress = ({ step, is_forced }: RotationRow, force: boolean) =>
  step !== "DONE" && (!force || is_forced);

const auditRotation = ({ step, old_ca_id, new_ca_id, is_forced }: RotationRow) => ({
  step,
  oldCAID: old_ca_id,
  newCAID: new_ca_id,
  isForced: is_forced,
});

function writeRotation(tx: Writer, row: RotationRow): Promise<RotationRow> {
  const { network_id: _, organization_id: __, ...columns } = row;
  return tx
    .insertInto("ca_rotations")
    .values(row)
    .onConflict((conflict) => conflict.column("network_id").doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function revisionOf(tx: Writer, networkID: string): Promise<number> {
  const { revision } = await tx
    .selectFrom("networks")
    .select("revision")
    .where("id", "=", networkID)
    .executeTakeFirstOrThrow();
  return revision;
}

/** Another process took the step, or a host has to be waited for again. */
class StepNotDueError extends Error {}

async function isWaiting(db: Context["reader"], rotation: RotationRow, now: Date): Promise<boolean> {
  const host = await waitingHosts(db, rotation, now).select("hosts.id").limit(1).executeTakeFirst();
  if (host !== undefined || rotation.step === "TRUST") return host !== undefined;
  return hasReplacedSince(db, rotation, new Date(now.getTime() - TUNNEL_RENEWAL_MS));
}

/** Takes the next step if it waits for no host; returns whether it did. */
export async function stepRotation(ctx: Context, open: RotationRow): Promise<boolean> {
  const now = ctx.clock();
  if (await isWaiting(ctx.reader, open, now)) return false;
  try {
    return await ctx.audited(async (tx) => {
      await lockNetworksForNoKeyUpdate(tx, open.organization_id, [open.network_id]);
      const rotation = await findRotation(tx, open.network_id);
      if (rotation?.step !== open.step || rotation.new_ca_id !== open.new_ca_id) throw new StepNotDueError();
      if (await isWaiting(tx, rotation, now)) throw new StepNotDueError();
      await bumpRevisions(tx, rotation.organization_id, [rotation.network_id]);
      const entries =
        rotation.step === "TRUST" ? await startReissuing(tx, rotation) : await retireOldCa(tx, rotation);
      await writeRotation(tx, {
        ...rotation,
        step: rotation.step === "TRUST" ? "REISSUE" : "DONE",
        step_revision: await revisionOf(tx, rotation.network_id),
        is_forced: false,
        step_started_at: now,
      });
      return done(true, ...entries);
    });
  } catch (error) {
    if (error instanceof StepNotDueError) return false;
    throw error;
  }
}

async function startReissuing(tx: Writer, { organization_id, new_ca_id }: RotationRow) {
  const { ca, entries } = await moveCa(tx, {
    organizationID: organization_id,
    id: new_ca_id,
    to: "SIGNING",
  });
  await setSigningCa(tx, ca);
  return entries;
}

async function retireOldCa(tx: Writer, { organization_id, network_id, old_ca_id }: RotationRow) {
  await clearCertificatesOfCa(tx, { networkID: network_id, caID: old_ca_id });
  const { entries } = await moveCa(tx, { organizationID: organization_id, id: old_ca_id, to: "RETIRED" });
  return entries;
}

/** Starts rotations for CAs that expire within a year, and takes every step that is due. */
export async function stepRotations(ctx: Context): Promise<void> {
  const now = ctx.clock();
  const due = await listDueNetworks(ctx.reader, new Date(now.getTime() + ROTATE_BEFORE_EXPIRY_MS));
  for (const { id, organization_id } of due)
    await ctx.audited((tx) =>
      startRotation(ctx, tx, {
        organizationID: organization_id,
        actor: { type: "system" },
        networkID: id,
        force: false,
        now,
      }),
    );
  for (const rotation of await listOpenRotations(ctx.reader)) await stepRotation(ctx, rotation);
}
