/**
 * Replaces a network's authority without cutting anybody off: everybody trusts the new one before it signs
 * anything, and has a certificate of it before the old one is let go. Where it stands is in the database: any
 * process takes the next step, one at a time, and a kill between two steps loses nothing.
 */
import type { AuditActor } from "@lightkeeper/contract";
import {
  createPendingCa,
  moveCa,
} from "../../nouns/certificate-authorities/certificate-authorities.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done, type Outcome, unchanged } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockNetworksForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { clearCertificatesOfCa } from "../../nouns/hosts/host-access.service.ts";
import { bumpRevisions, setSigningCa } from "../../nouns/networks/revisions.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import {
  findNetwork,
  findRotation,
  hasExchangedSince,
  listDueNetworks,
  listOpenRotations,
  type RotationRow,
  waitingHosts,
} from "./ca-rotations.queries.ts";

/** How long before an authority ends it is replaced: by then no certificate of it may be left. */
const ROTATED_BEFORE_END_MS = 365 * 86_400_000;

/**
 * A tunnel nobody uses keeps the certificate it was made with until the host next tells its lighthouses where it
 * is, once a minute. Distrusted before, it would be closed, and the lighthouse could no longer say where it is.
 */
const TUNNELS_RENEWED_MS = 75_000;

export interface StartRotation {
  organizationID: string;
  actor: AuditActor;
  networkID: string;
  force: boolean;
  now: Date;
}

/** Begins one, or answers the one that is under way. */
export async function startRotation(
  ctx: Context,
  tx: Writer,
  { organizationID, actor, networkID, force, now }: StartRotation,
): Promise<Outcome<RotationRow>> {
  const network = await findNetwork(tx, organizationID, networkID);
  if (!network) throw new ApiError("ERR_NOT_FOUND");
  const before = await findRotation(tx, networkID);
  const isOpen = before !== undefined && before.step !== "DONE";
  if (isOpen && (!force || before.is_forced)) return unchanged(before);
  await lockNetworksForNoKeyUpdate(tx, organizationID, [networkID]);
  const current = await findRotation(tx, networkID);
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
    const forced = await write(tx, { ...current, is_forced: force || current.is_forced });
    return done(forced, entry(forced));
  }
  const { ca, entries } = await createPendingCa(ctx, tx, { network, now });
  await bumpRevisions(tx, organizationID, [networkID]);
  const started = await write(tx, {
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

const auditRotation = ({ step, old_ca_id, new_ca_id, is_forced }: RotationRow) => ({
  step,
  oldCAID: old_ca_id,
  newCAID: new_ca_id,
  isForced: is_forced,
});

function write(tx: Writer, row: RotationRow): Promise<RotationRow> {
  const { network_id: _, organization_id: __, ...columns } = row;
  return tx
    .insertInto("ca_rotations")
    .values(row)
    .onConflict((conflict) => conflict.column("network_id").doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function revisionOf(tx: Writer, networkID: string): Promise<number> {
  const { revision } = await tx
    .selectFrom("networks")
    .select("revision")
    .where("id", "=", networkID)
    .executeTakeFirstOrThrow();
  return revision;
}

/** Somebody else was quicker, or a host came in between: nothing is done this time. */
class Overtaken extends Error {}

async function isWaiting(db: Context["reader"], rotation: RotationRow, now: Date): Promise<boolean> {
  const host = await waitingHosts(db, rotation, now).select("hosts.id").limit(1).executeTakeFirst();
  if (host !== undefined || rotation.step === "TRUST") return host !== undefined;
  return hasExchangedSince(db, rotation, new Date(now.getTime() - TUNNELS_RENEWED_MS));
}

/** Takes the next step if nothing is waited for; whether it did. */
export async function stepRotation(ctx: Context, seen: RotationRow): Promise<boolean> {
  const now = ctx.clock();
  if (await isWaiting(ctx.reader, seen, now)) return false;
  try {
    return await ctx.audited(async (tx) => {
      await lockNetworksForNoKeyUpdate(tx, seen.organization_id, [seen.network_id]);
      const rotation = await findRotation(tx, seen.network_id);
      if (rotation?.step !== seen.step || rotation.new_ca_id !== seen.new_ca_id) throw new Overtaken();
      if (await isWaiting(tx, rotation, now)) throw new Overtaken();
      await bumpRevisions(tx, rotation.organization_id, [rotation.network_id]);
      const entries = rotation.step === "TRUST" ? await reissue(tx, rotation) : await distrust(tx, rotation);
      await write(tx, {
        ...rotation,
        step: rotation.step === "TRUST" ? "REISSUE" : "DONE",
        step_revision: await revisionOf(tx, rotation.network_id),
        is_forced: false,
        step_started_at: now,
      });
      return done(true, ...entries);
    });
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
}

async function reissue(tx: Writer, { organization_id, new_ca_id }: RotationRow) {
  const { ca, entries } = await moveCa(tx, {
    organizationID: organization_id,
    id: new_ca_id,
    to: "SIGNING",
  });
  await setSigningCa(tx, ca);
  return entries;
}

async function distrust(tx: Writer, { organization_id, network_id, old_ca_id }: RotationRow) {
  await clearCertificatesOfCa(tx, { networkID: network_id, caID: old_ca_id });
  const { entries } = await moveCa(tx, { organizationID: organization_id, id: old_ca_id, to: "RETIRED" });
  return entries;
}

/** Takes every step that is due, and begins with the authorities that will end within the year. */
export async function stepRotations(ctx: Context): Promise<void> {
  const now = ctx.clock();
  const due = await listDueNetworks(ctx.reader, new Date(now.getTime() + ROTATED_BEFORE_END_MS));
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
