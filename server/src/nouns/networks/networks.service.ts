import type { BodyOf, createNetworkV2, updateNetworkV2 } from "@lightkeeper/contract";
import { formatIpPrefix, parseCidr } from "@lightkeeper/nebula";
import { createSigningCa } from "../certificate-authorities/certificate-authorities.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockNetworkForUpdate, lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { requireUnique } from "../../infrastructure/db/violations.ts";
import { requireNoDependents } from "../../features/dependents/dependents.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, type Actor } from "../../infrastructure/http/actor.ts";
import {
  chooseIpv4Cidr,
  chooseIpv6Cidr,
  cidrsOf,
  ipv4Columns,
  ipv6Columns,
  type NetworkCidrs,
  type RequestedCidr,
  requireIpv4Cidr,
  requireNoOverlap,
  requireValidCidrs,
  toPrefix,
} from "./network-cidrs.ts";
import { listCidrs, type NetworkRow } from "./networks.queries.ts";

export type NewNetwork = Omit<BodyOf<typeof createNetworkV2>, "cidrs"> & {
  cidrs: readonly RequestedCidr[];
};
/** Undefined properties stay unchanged. */
export type NetworkChange = Omit<BodyOf<typeof updateNetworkV2>, "disableManagedLighthouses"> & {
  disableManagedLighthouses: boolean | undefined;
};

/** The requested ranges, and free ones instead of those that are missing. */
function chooseCidrs({ certVersion, cidrs }: NewNetwork, taken: readonly string[]): NetworkCidrs {
  const { ipv4, ipv6 } = requireValidCidrs(certVersion, cidrs);
  for (const { text, path } of cidrs) requireNoOverlap(toPrefix(text), taken.map(toPrefix), path);
  return certVersion === 1
    ? { ipv4: ipv4 ?? chooseIpv4Cidr(taken), ipv6: undefined }
    : { ipv4, ipv6: ipv6 ?? chooseIpv6Cidr() };
}

export interface CreateNetwork {
  actor: Actor;
  now: Date;
  network: NewNetwork;
}

export async function createNetwork(
  ctx: Context,
  tx: Writer,
  { actor, now, network }: CreateNetwork,
): Promise<Outcome<NetworkRow>> {
  const organizationID = actor.organization.id;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const { ipv4, ipv6 } = chooseCidrs(network, await listCidrs(tx, organizationID));
  const row = await requireUnique(
    tx
      .insertInto("networks")
      .values({
        id: newId("network"),
        organization_id: organizationID,
        name: network.name,
        description: network.description,
        ...ipv4Columns(ipv4),
        ...ipv6Columns(ipv6),
        curve: network.curve,
        cert_version: network.certVersion,
        signing_ca_id: newId("ca"),
        lighthouses_as_relays: network.lighthousesAsRelays,
        disable_managed_lighthouses: network.disableManagedLighthouses,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
    UNIQUE_NAME,
  );
  // The entries name the system, not the caller, as the creator of the CA.
  const { entries } = await createSigningCa(ctx, tx, { network: row, now });
  return done(row, networkEntry(actor, row, "CREATED", null, auditNetwork(row)), ...entries);
}

/** The IPv6 range that a network gets when it is upgraded. The caller has locked the organization. */
export async function chooseUpgradeCidr(
  tx: Writer,
  organizationID: string,
  requested: string | undefined,
): Promise<string> {
  const path = "cidr";
  if (requested !== undefined && parseCidr(requested))
    throw new ApiError("ERR_INVALID_VALUE", { path, message: "must be an IPv6 network in CIDR form" });
  const cidrs = requested === undefined ? [] : [{ text: requested, path }];
  const { ipv6 = chooseIpv6Cidr() } = requireValidCidrs(2, cidrs);
  requireNoOverlap(ipv6, (await listCidrs(tx, organizationID)).map(toPrefix), path);
  return formatIpPrefix(ipv6);
}

const UNIQUE_NAME = { index: "networks_name_unique", path: "name" };

async function getLocked(tx: Writer, actor: Actor, id: string): Promise<NetworkRow> {
  const row = await lockNetworkForUpdate(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function updateNetwork(
  tx: Writer,
  { actor, id, change }: { actor: Actor; id: string; change: NetworkChange },
): Promise<Outcome<NetworkRow>> {
  const before = await getLocked(tx, actor, id);
  const after = await requireUnique(
    tx
      .updateTable("networks")
      .set((eb) => ({
        name: change.name,
        description: change.description,
        lighthouses_as_relays: change.lighthousesAsRelays,
        disable_managed_lighthouses: change.disableManagedLighthouses,
        revision: eb("revision", "+", 1),
      }))
      .where("organization_id", "=", actor.organization.id)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
    UNIQUE_NAME,
  );
  return done(after, networkEntry(actor, after, "UPDATED", auditNetwork(before), auditNetwork(after)));
}

export async function deleteNetwork(
  tx: Writer,
  { actor, id }: { actor: Actor; id: string },
): Promise<Outcome<Record<string, never>>> {
  const row = await getLocked(tx, actor, id);
  await requireNoDependents(tx, actor.organization.id, { networkID: id });
  await tx
    .deleteFrom("networks")
    .where("organization_id", "=", actor.organization.id)
    .where("id", "=", id)
    .execute();
  return done({}, networkEntry(actor, row, "DELETED", auditNetwork(row), null));
}

/** Adds the IPv4 range of a network that has only an IPv6 range. The hosts keep their addresses. */
export async function addCidr(
  tx: Writer,
  { actor, id, cidr: text }: { actor: Actor; id: string; cidr: string },
): Promise<Outcome<NetworkRow>> {
  const organizationID = actor.organization.id;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const before = await getLocked(tx, actor, id);
  const requested = { text, path: "cidr" };
  const cidr = requireIpv4Cidr(requested);
  if (before.cidr !== null) throw new ApiError("ERR_NETWORK_ALREADY_HAS_IPV4_CIDR");
  requireNoOverlap(cidr, (await listCidrs(tx, organizationID)).map(toPrefix), requested.path);
  const after = await tx
    .updateTable("networks")
    .set((eb) => ({ ...ipv4Columns(cidr), revision: eb("revision", "+", 1) }))
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return done(after, networkEntry(actor, after, "UPDATED", auditNetwork(before), auditNetwork(after)));
}

function auditNetwork(row: NetworkRow) {
  return {
    name: row.name,
    description: row.description,
    cidrs: cidrsOf(row),
    certVersion: row.cert_version,
    curve: row.curve,
    lighthousesAsRelays: row.lighthouses_as_relays,
    disableManagedLighthouses: row.disable_managed_lighthouses,
  };
}

function networkEntry(
  actor: Actor,
  row: NetworkRow,
  event: "CREATED" | "UPDATED" | "DELETED",
  before: object | null,
  after: object | null,
): AuditEntry {
  return {
    organizationID: row.organization_id,
    actor: auditActor(actor),
    target: { type: "network", id: row.id },
    event,
    before,
    after,
    networkID: row.id,
  };
}
