/**
 * Upgrades a network to version 2 certificates without disconnecting hosts: every host trusts a CA of version 2, then
 * has a certificate of each version, then starts tunnels with version 2, and then gives up version 1. The step is
 * stored in the database, so that any process can take the next one, and a kill between two steps loses nothing. Until
 * the last step, which a person starts, every host still has its version 1 certificate, so the steps can be reverted.
 */
import type { AuditActor } from "@lightkeeper/contract";
import {
  createPendingCa,
  moveCa,
} from "../../nouns/certificate-authorities/certificate-authorities.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done, locked, type Outcome, unchanged } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockNetworksForNoKeyUpdate, lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { clearCertificatesOfCa } from "../../nouns/hosts/host-access.service.ts";
import { assignIpv6Addresses, removeIpv6Addresses } from "../../nouns/hosts/ipv6-upgrade.service.ts";
import { addIpv6Range, removeIpv6Range } from "../../nouns/networks/ipv6-range.service.ts";
import { chooseUpgradeCidr } from "../../nouns/networks/networks.service.ts";
import { bumpRevisions, setCertVersion, setSigningCa } from "../../nouns/networks/revisions.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { findNetwork, findRotation, hasReplacedSince } from "./ca-rotations.queries.ts";
import { revisionOf, TUNNEL_RENEWAL_MS } from "./ca-rotations.service.ts";
import { findUpgrade, listOpenUpgrades, type UpgradeRow, waitingHosts } from "./network-upgrades.queries.ts";

type Step = UpgradeRow["step"];

export interface ChangeUpgrade {
  organizationID: string;
  actor: AuditActor;
  networkID: string;
  now: Date;
}

export interface StartUpgrade extends ChangeUpgrade {
  force: boolean;
  /** The IPv6 range; undefined for a random one. */
  cidr: string | undefined;
}

const invalid = (message: string) => new ApiError("ERR_INVALID_VALUE", { message });

export const isOpen = (upgrade: UpgradeRow | undefined): upgrade is UpgradeRow =>
  upgrade !== undefined && upgrade.step !== "DONE";

/** Starts an upgrade, or returns the one in progress. */
export async function startUpgrade(tx: Writer, request: StartUpgrade): Promise<Outcome<UpgradeRow>> {
  const { organizationID, networkID, force, cidr, now } = request;
  if (!(await findNetwork(tx, organizationID, networkID))) throw new ApiError("ERR_NOT_FOUND");
  const before = await findUpgrade(tx, networkID);
  if (isOpen(before) && (!force || before.is_forced)) return unchanged(before);
  // Read again: another request may have changed both while this one waited for the locks.
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  await lockNetworksForNoKeyUpdate(tx, organizationID, [networkID]);
  const network = await findNetwork(tx, organizationID, networkID);
  if (!network) throw new ApiError("ERR_NOT_FOUND");
  const current = await findUpgrade(tx, networkID);
  if (isOpen(current)) {
    if (!force || current.is_forced) return locked(current);
    const forced = await writeUpgrade(tx, { ...current, is_forced: true });
    return done(forced, upgradeEntry(request, current, forced));
  }
  if (network.cert_version === 2) throw invalid("the network already has version 2 certificates");
  if (((await findRotation(tx, networkID))?.step ?? "DONE") !== "DONE")
    throw invalid("the CA of the network is being rotated; wait until that is done");
  const started = await writeUpgrade(tx, {
    network_id: networkID,
    organization_id: organizationID,
    old_ca_id: network.signing_ca_id,
    new_ca_id: null,
    ipv6_cidr: await chooseUpgradeCidr(tx, organizationID, cidr),
    step: "NEBULA",
    step_revision: await revisionOf(tx, networkID),
    is_reverting: false,
    is_forced: false,
    started_at: now,
    step_started_at: now,
  });
  return done(started, upgradeEntry(request, undefined, started));
}

/** Starts the last step. */
export async function finishUpgrade(tx: Writer, request: ChangeUpgrade): Promise<Outcome<UpgradeRow>> {
  const before = await findUpgradeOf(tx, request);
  if (before.step === "ONLY") return unchanged(before);
  const upgrade = await lockOpenUpgrade(tx, request);
  if (upgrade.step === "ONLY") return locked(upgrade);
  if (!canFinish(upgrade) || (await isWaiting(tx, upgrade, request.now)))
    throw invalid("the upgrade isn't ready for its last step");
  const { upgrade: after, entries } = await takeStep(tx, upgrade, "ONLY", request.now);
  return done(after, upgradeEntry(request, upgrade, after), ...entries);
}

export const canFinish = ({ step, is_reverting }: UpgradeRow) => step === "INITIATE" && !is_reverting;
export const canRevert = ({ step, is_reverting }: UpgradeRow) =>
  !is_reverting && step !== "ONLY" && step !== "DONE";

const stepBefore: Partial<Record<Step, Step>> = { BOTH: "TRUST", INITIATE: "BOTH" };

/** Starts to take the steps back; returns undefined if that's already done. */
export async function revertUpgrade(
  tx: Writer,
  request: ChangeUpgrade,
): Promise<Outcome<UpgradeRow | undefined>> {
  const before = await findUpgradeOf(tx, request);
  if (before.is_reverting) return unchanged(before);
  const upgrade = await lockOpenUpgrade(tx, request);
  if (upgrade.is_reverting) return locked(upgrade);
  if (!canRevert(upgrade)) throw invalid("the last step of an upgrade can't be reverted");
  const target = stepBefore[upgrade.step];
  if (target === undefined) {
    const entries = await removeUpgrade(tx, upgrade);
    return done(undefined, upgradeEntry(request, upgrade, undefined), ...entries);
  }
  await bumpRevisions(tx, upgrade.organization_id, [upgrade.network_id]);
  const after = await moveTo(tx, { ...upgrade, is_reverting: true }, target, request.now);
  return done(after, upgradeEntry(request, upgrade, after));
}

async function findUpgradeOf(tx: Writer, { organizationID, networkID }: ChangeUpgrade): Promise<UpgradeRow> {
  if (!(await findNetwork(tx, organizationID, networkID))) throw new ApiError("ERR_NOT_FOUND");
  const upgrade = await findUpgrade(tx, networkID);
  if (!isOpen(upgrade)) throw invalid("the network isn't being upgraded");
  return upgrade;
}

async function lockOpenUpgrade(tx: Writer, request: ChangeUpgrade): Promise<UpgradeRow> {
  await lockNetworksForNoKeyUpdate(tx, request.organizationID, [request.networkID]);
  return findUpgradeOf(tx, request);
}

const auditUpgrade = (row: UpgradeRow | undefined) =>
  row
    ? { step: row.step, isReverting: row.is_reverting, isForced: row.is_forced, cidr: row.ipv6_cidr }
    : null;

const upgradeEntry = (
  { organizationID, actor, networkID }: ChangeUpgrade,
  before: UpgradeRow | undefined,
  after: UpgradeRow | undefined,
): AuditEntry => ({
  organizationID,
  actor,
  target: { type: "network", id: networkID },
  event: "UPDATED",
  before: { upgrade: auditUpgrade(before) },
  after: { upgrade: auditUpgrade(after) },
  networkID,
});

function writeUpgrade(tx: Writer, row: UpgradeRow): Promise<UpgradeRow> {
  const { new_ca_id, step, step_revision, is_reverting, is_forced, step_started_at } = row;
  return tx
    .insertInto("network_upgrades")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("network_id")
        .doUpdateSet({ new_ca_id, step, step_revision, is_reverting, is_forced, step_started_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The caller has raised the network's revision. */
const moveTo = async (tx: Writer, upgrade: UpgradeRow, step: Step, now: Date): Promise<UpgradeRow> =>
  writeUpgrade(tx, {
    ...upgrade,
    step,
    step_revision: await revisionOf(tx, upgrade.network_id),
    is_forced: false,
    step_started_at: now,
  });

/** Another process took the step, or a host has to be waited for again. */
class StepNotDueError extends Error {}

async function isWaiting(db: Context["reader"], upgrade: UpgradeRow, now: Date): Promise<boolean> {
  const host = await waitingHosts(db, upgrade, now).select("hosts.id").limit(1).executeTakeFirst();
  if (host !== undefined || upgrade.step !== "ONLY") return host !== undefined;
  return hasReplacedSince(db, upgrade, new Date(now.getTime() - TUNNEL_RENEWAL_MS));
}

const nextSteps: Partial<Record<Step, Step>> = {
  NEBULA: "TRUST",
  TRUST: "BOTH",
  BOTH: "INITIATE",
  ONLY: "DONE",
};

/** Takes the next step if it waits for no host. */
async function stepUpgrade(ctx: Context, open: UpgradeRow): Promise<void> {
  const now = ctx.clock();
  if (canFinish(open) || (await isWaiting(ctx.reader, open, now))) return;
  try {
    await ctx.audited(async (tx) => {
      await lockNetworksForNoKeyUpdate(tx, open.organization_id, [open.network_id]);
      const upgrade = await findUpgrade(tx, open.network_id);
      const isSame = upgrade?.step === open.step && upgrade.is_reverting === open.is_reverting;
      if (!upgrade || !isSame || (await isWaiting(tx, upgrade, now))) throw new StepNotDueError();
      const actor = { type: "system" } as const;
      const { network_id: networkID, organization_id: organizationID } = upgrade;
      const change = { organizationID, actor, networkID, now };
      const { upgrade: after, entries } = upgrade.is_reverting
        ? await stepBack(tx, upgrade, now)
        : await stepForward(ctx, tx, upgrade, now);
      return done({}, upgradeEntry(change, upgrade, after), ...entries);
    });
  } catch (error) {
    if (!(error instanceof StepNotDueError)) throw error;
  }
}

interface Stepped {
  upgrade: UpgradeRow | undefined;
  entries: AuditEntry[];
}

async function stepForward(ctx: Context, tx: Writer, upgrade: UpgradeRow, now: Date): Promise<Stepped> {
  const step = nextSteps[upgrade.step];
  if (step === undefined) throw new StepNotDueError();
  if (step !== "TRUST") return takeStep(tx, upgrade, step, now);
  const network = await findNetwork(tx, upgrade.organization_id, upgrade.network_id);
  if (!network) throw new StepNotDueError();
  const { ca, entries } = await createPendingCa(ctx, tx, { network: { ...network, cert_version: 2 }, now });
  await bumpRevisions(tx, upgrade.organization_id, [upgrade.network_id]);
  return { upgrade: await moveTo(tx, { ...upgrade, new_ca_id: ca.id }, step, now), entries };
}

/** The caller has locked the network. */
async function takeStep(
  tx: Writer,
  upgrade: UpgradeRow,
  step: Step,
  now: Date,
): Promise<{ upgrade: UpgradeRow; entries: AuditEntry[] }> {
  await bumpRevisions(tx, upgrade.organization_id, [upgrade.network_id]);
  const entries: AuditEntry[] = [];
  if (step === "BOTH") {
    await assignIpv6Addresses(tx, upgrade.network_id, upgrade.ipv6_cidr);
    await addIpv6Range(tx, upgrade.network_id, upgrade.ipv6_cidr);
  }
  if (step === "ONLY") entries.push(...(await startSigningVersion2(tx, upgrade)));
  if (step === "DONE") entries.push(...(await retireCa(tx, upgrade, upgrade.old_ca_id)));
  return { upgrade: await moveTo(tx, upgrade, step, now), entries };
}

async function startSigningVersion2(tx: Writer, upgrade: UpgradeRow): Promise<AuditEntry[]> {
  const { ca, entries } = await moveCa(tx, {
    organizationID: upgrade.organization_id,
    id: upgrade.new_ca_id ?? "",
    to: "SIGNING",
  });
  await setSigningCa(tx, ca);
  await setCertVersion(tx, upgrade.network_id, 2);
  return entries;
}

async function stepBack(tx: Writer, upgrade: UpgradeRow, now: Date): Promise<Stepped> {
  await bumpRevisions(tx, upgrade.organization_id, [upgrade.network_id]);
  const step = stepBefore[upgrade.step];
  if (step !== undefined) return { upgrade: await moveTo(tx, upgrade, step, now), entries: [] };
  return { upgrade: undefined, entries: await removeUpgrade(tx, upgrade) };
}

/** No host has a version 2 certificate, or the range that these contain. */
async function removeUpgrade(tx: Writer, upgrade: UpgradeRow): Promise<AuditEntry[]> {
  await bumpRevisions(tx, upgrade.organization_id, [upgrade.network_id]);
  await removeIpv6Addresses(tx, upgrade.network_id);
  await removeIpv6Range(tx, upgrade.network_id);
  await tx.deleteFrom("network_upgrades").where("network_id", "=", upgrade.network_id).execute();
  return upgrade.new_ca_id === null ? [] : retireCa(tx, upgrade, upgrade.new_ca_id);
}

async function retireCa(
  tx: Writer,
  { organization_id, network_id }: UpgradeRow,
  caID: string,
): Promise<AuditEntry[]> {
  await clearCertificatesOfCa(tx, { networkID: network_id, caID });
  const { entries } = await moveCa(tx, { organizationID: organization_id, id: caID, to: "RETIRED" });
  return entries;
}

/** Takes every step that is due. One that fails doesn't delay the others. */
export async function stepUpgrades(ctx: Context): Promise<void> {
  for (const upgrade of await listOpenUpgrades(ctx.reader))
    await stepUpgrade(ctx, upgrade).catch((error: unknown) =>
      ctx.log.warn(
        { err: error, networkID: upgrade.network_id },
        "could not continue the upgrade of a network",
      ),
    );
}
