import type { BodyOf, createNetworkV2, updateNetworkV2 } from "@lightkeeper/contract";
import { PREFIX_LENGTH_MAX, PREFIX_LENGTH_MIN } from "@lightkeeper/contract/limits";
import {
  cidrContains,
  cidrsOverlap,
  formatCidr,
  formatIpv4,
  isAligned,
  nextFreeCidr,
  parseCidr,
  PRIVATE_RANGES,
  type Cidr,
} from "@lightkeeper/nebula";
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
import { listCidrs, type NetworkRow } from "./networks.queries.ts";

const DEFAULT_POOLS = ["100.100.0.0/16", "100.64.0.0/10"];
const DEFAULT_PREFIX_LENGTH = 22;

export type NewNetwork = Omit<BodyOf<typeof createNetworkV2>, "cidrs"> & { cidr: string | undefined };
/** Undefined properties stay unchanged. */
export type NetworkChange = Omit<BodyOf<typeof updateNetworkV2>, "disableManagedLighthouses"> & {
  disableManagedLighthouses: boolean | undefined;
};

const toCidr = (text: string): Cidr => {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`${text} is not a CIDR`);
  return cidr;
};

/** Throws with the caller's name for the CIDR as `path`. */
export function requireValidCidr(text: string, path: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new ApiError("ERR_INVALID_IPV4_CIDR", { path });
  if (cidr.prefixLength < PREFIX_LENGTH_MIN || cidr.prefixLength > PREFIX_LENGTH_MAX)
    throw new ApiError("ERR_INVALID_CIDR_MASK_SIZE", { path });
  if (!isAligned(cidr))
    throw new ApiError("ERR_INVALID_IPV4_CIDR", { path, message: "must not have bits set beyond its mask" });
  if (!PRIVATE_RANGES.some((range) => cidrContains(range, cidr)))
    throw new ApiError("ERR_INVALID_VALUE", {
      path,
      message: `must be inside ${PRIVATE_RANGES.map(formatCidr).join(", ")}`,
    });
  return cidr;
}

function chooseCidr(taken: Cidr[]): Cidr {
  for (const pool of DEFAULT_POOLS) {
    const free = nextFreeCidr({ within: toCidr(pool), prefixLength: DEFAULT_PREFIX_LENGTH, taken });
    if (free) return free;
  }
  throw new ApiError("ERR_LIMIT_EXCEEDED", { message: "no address space is left for another network" });
}

export interface CreateNetwork {
  actor: Actor;
  now: Date;
  network: NewNetwork;
  /** The caller's name for the CIDR. */
  cidrPath: string;
}

export async function createNetwork(
  ctx: Context,
  tx: Writer,
  { actor, now, network, cidrPath }: CreateNetwork,
): Promise<Outcome<NetworkRow>> {
  if (network.curve !== "25519")
    throw new ApiError("ERR_INVALID_VALUE", { path: "curve", message: "only 25519 is supported" });
  if (network.certVersion !== 1)
    throw new ApiError("ERR_INVALID_VALUE", { path: "certVersion", message: "only version 1 is supported" });
  const requested = network.cidr === undefined ? undefined : requireValidCidr(network.cidr, cidrPath);
  const organizationID = actor.organization.id;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const taken = (await listCidrs(tx, organizationID)).map(toCidr);
  if (requested && taken.some((existing) => cidrsOverlap(requested, existing)))
    throw new ApiError("ERR_INVALID_VALUE", { path: cidrPath, message: "overlaps another network" });
  const cidr = requested ?? chooseCidr(taken);
  const row = await requireUnique(
    tx
      .insertInto("networks")
      .values({
        id: newId("network"),
        organization_id: organizationID,
        name: network.name,
        description: network.description,
        cidr: formatCidr(cidr),
        next_address: formatIpv4(cidr.address + 1),
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

/** Always fails: version 1 certificates contain one IPv4 network, which every network has. */
export async function addCidr(
  tx: Writer,
  { actor, id, cidr }: { actor: Actor; id: string; cidr: string },
): Promise<Outcome<NetworkRow>> {
  await getLocked(tx, actor, id);
  if (!parseCidr(cidr)) throw new ApiError("ERR_INVALID_IPV4_CIDR", { path: "cidr" });
  throw new ApiError("ERR_NETWORK_ALREADY_HAS_IPV4_CIDR");
}

function auditNetwork(row: NetworkRow) {
  return {
    name: row.name,
    description: row.description,
    cidrs: [row.cidr],
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
