import type { ConfigOverrides } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import {
  lockNetworksForNoKeyUpdate,
  lockOrganizationForNoKeyUpdate,
  lockRolesForKeyShare,
} from "../../infrastructure/db/locks.ts";
import { prepareQuery } from "../../infrastructure/db/prepared-query.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Organization } from "../../infrastructure/http/actor.ts";
import { bumpRevisionAfterAllocation, type LockedNetwork } from "../networks/revisions.service.ts";
import { requireValidOverrides } from "../tags/config-overrides.service.ts";
import { ensureTags } from "../tags/ensure-tags.service.ts";
import { allocateAddresses } from "./addresses.service.ts";
import type { HostAddresses } from "./host-addresses.ts";
import { auditHost, entryOf } from "./host-audit.ts";
import { requireValidHostInput } from "./host-rules.ts";
import { countAllHosts, findHost, HOST_COLUMNS, type HostRow, type SeenHostRow } from "./hosts.queries.ts";
import { searchTextOf } from "./search-text.ts";

export interface HostInput {
  networkID: string;
  name: string;
  roleID: string | null;
  /** Addresses, or prefixes to allocate from; a family without one gets the next free address, if it always has one. */
  addresses: readonly string[];
  staticAddresses: string[];
  listenPort: number;
  isLighthouse: boolean;
  isRelay: boolean;
  tags: string[];
  configOverrides: ConfigOverrides;
  description: string;
  owner: string;
}

export async function getHost(
  db: Reader,
  organizationID: string,
  { id, now }: { id: string; now: Date },
): Promise<SeenHostRow> {
  const row = await findHost(db, organizationID, { id, now });
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

/** The deprecated endpoints know only hosts with one IPv4 address. */
export async function requireVersion1Host(db: Reader, organizationID: string, id: string): Promise<void> {
  const host = await db
    .selectFrom("hosts")
    .innerJoin("networks", "networks.id", "hosts.network_id")
    .select("networks.cert_version")
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.id", "=", id)
    .executeTakeFirst();
  if (host?.cert_version === 2) throw new ApiError("ERR_CERT_VERSION_2_INCOMPATIBLE");
}

export interface CreateHosts {
  author: Author;
  now: Date;
  /** As the request was admitted; otherwise it is read. */
  plan?: Organization["plan"] | undefined;
  hosts: readonly HostInput[];
  /** The caller's path of a property of the host at this index, such as `addresses[0]`. */
  pathAt: (index: number, property: string) => string;
  /** The caller supports only hosts with one IPv4 address. */
  isIpv4Only?: boolean;
}

/** What a host without an agent shows. */
const NEVER_SEEN: Omit<SeenHostRow, keyof HostRow> = {
  last_seen_at: -Infinity,
  shown_last_seen_at: -Infinity,
  certificate_expires_at: null,
  nebula_version: null,
  statuses: ["neverEnrolled"],
};

export interface CreatedHosts {
  /** In the order of the request. */
  rows: HostRow[];
  entries: AuditEntry[];
}

export interface CreateHost extends Pick<CreateHosts, "author" | "now" | "plan"> {
  host: HostInput;
  /** Each version has its own path of the address. */
  apiVersion: "v1" | "v2";
}

export async function createHost(
  ctx: Context,
  tx: Writer,
  { host, ...request }: CreateHost,
): Promise<{ row: SeenHostRow; entries: [AuditEntry, ...AuditEntry[]] }> {
  const { rows, entries } = await createHostsOfRequests(ctx, tx, { ...request, hosts: [host] });
  return { row: rows[0]!, entries };
}

/** Creates one host for each request, all in one network; returns them in the same order. */
export async function createHostsOfRequests(
  ctx: Context,
  tx: Writer,
  { apiVersion, ...request }: Omit<CreateHost, "host"> & { hosts: readonly HostInput[] },
): Promise<{ rows: SeenHostRow[]; entries: [AuditEntry, ...AuditEntry[]] }> {
  const pathAt = (_index: number, property: string) =>
    property.replace(/^addresses(\[\d+\])/, apiVersion === "v1" ? "ipAddress" : "ipAddresses$1");
  const isIpv4Only = apiVersion === "v1";
  const { rows, entries } = await createHosts(ctx, tx, { ...request, pathAt, isIpv4Only });
  const [first, ...further] = entries;
  if (!first) throw new Error("No host was created");
  return { rows: rows.map((row) => ({ ...row, ...NEVER_SEEN })), entries: [first, ...further] };
}

export async function createHosts(ctx: Context, tx: Writer, request: CreateHosts): Promise<CreatedHosts> {
  const { author, now, hosts, pathAt } = request;
  for (const [index, host] of hosts.entries()) {
    requireValidHostInput(host, (property) => pathAt(index, property));
    requireValidOverrides(host.configOverrides, (property) => pathAt(index, property));
  }
  await requireHostQuota(ctx, tx, request);
  const tags = hosts.flatMap((host) => host.tags);
  const tagEntries = await ensureTags(tx, { author, names: tags, now });
  await requireRoles(tx, request);
  const networks = await lockNetworks(tx, request);
  const addresses: HostAddresses[] = [];
  for (const network of networks)
    for (const [index, allocated] of await allocateForNetwork(tx, network, request))
      addresses[index] = allocated;
  const rows = await insertHosts(tx, request, addresses);
  const created = rows.map((row) => entryOf(author, row, "CREATED", null, auditHost(row)));
  return { rows, entries: [...tagEntries, ...created] };
}

/** On the Free plan, hosts are created one request at a time, so that none is missed by the count. */
async function requireHostQuota(
  ctx: Context,
  tx: Writer,
  { author: { organizationID }, plan, hosts }: CreateHosts,
): Promise<void> {
  if ((plan ?? (await findPlan(tx, organizationID))) !== "free") return;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const limit = ctx.config.freePlanHostLimit;
  if ((await countAllHosts(tx, organizationID)) + hosts.length > limit)
    throw new ApiError("ERR_LIMIT_EXCEEDED", {
      message: `the Free plan is limited to ${limit} hosts`,
      extra: { limit },
    });
}

async function findPlan(tx: Writer, organizationID: string): Promise<Organization["plan"]> {
  const { plan } = await tx
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", organizationID)
    .executeTakeFirstOrThrow();
  return plan;
}

async function requireRoles(tx: Writer, { author, hosts, pathAt }: CreateHosts): Promise<void> {
  const roleIDs = new Set(hosts.flatMap(({ roleID }) => roleID ?? []));
  const roles = await lockRolesForKeyShare(tx, author.organizationID, [...roleIDs]);
  const existing = new Set(roles.map(({ id }) => id));
  const invalidIndex = hosts.findIndex(({ roleID }) => roleID !== null && !existing.has(roleID));
  if (invalidIndex !== -1)
    throw new ApiError("ERR_INVALID_REFERENCE", { path: pathAt(invalidIndex, "roleID") });
}

async function lockNetworks(
  tx: Writer,
  { author, hosts, pathAt, isIpv4Only }: CreateHosts,
): Promise<LockedNetwork[]> {
  const networkIDs = new Set(hosts.map(({ networkID }) => networkID));
  const networks = await lockNetworksForNoKeyUpdate(tx, author.organizationID, [...networkIDs]);
  const existing = new Set(networks.map(({ id }) => id));
  const invalidIndex = hosts.findIndex(({ networkID }) => !existing.has(networkID));
  if (invalidIndex !== -1)
    throw new ApiError("ERR_INVALID_REFERENCE", { path: pathAt(invalidIndex, "networkID") });
  if (isIpv4Only && networks.some(({ cert_version }) => cert_version === 2))
    throw new ApiError("ERR_CERT_VERSION_2_INCOMPATIBLE");
  return networks;
}

/** Allocates addresses for the hosts of one network, each with its index in the request. */
async function allocateForNetwork(
  tx: Writer,
  network: LockedNetwork,
  { hosts, pathAt }: CreateHosts,
): Promise<[index: number, addresses: HostAddresses][]> {
  const inNetwork = [...hosts.entries()].filter(([, { networkID }]) => networkID === network.id);
  const requests = inNetwork.map(([index, { addresses }]) =>
    addresses.map((address, position) => ({ address, path: pathAt(index, `addresses[${position}]`) })),
  );
  const allocated = await allocateAddresses(tx, network, requests);
  await bumpRevisionAfterAllocation(tx, network.id, allocated.next);
  return allocated.hosts.map((addresses, position) => [inNetwork[position]?.[0] ?? 0, addresses]);
}

async function insertHosts(
  tx: Writer,
  { author, now, hosts, pathAt }: CreateHosts,
  addresses: HostAddresses[],
): Promise<HostRow[]> {
  const values = hosts.map((host, index) => {
    const tags = [...new Set(host.tags)];
    const allocated = addresses[index];
    if (!allocated) throw new Error("Every host gets an address");
    return {
      id: newId("host"),
      organization_id: author.organizationID,
      network_id: host.networkID,
      role_id: host.roleID,
      name: host.name,
      ...allocated,
      static_addresses: host.staticAddresses,
      listen_port: host.listenPort,
      is_lighthouse: host.isLighthouse,
      is_relay: host.isRelay,
      tags,
      config_overrides: host.configOverrides,
      description: host.description,
      owner: host.owner,
      search_text: searchTextOf({ name: host.name, ...allocated, tags }),
      created_at: now,
      modified_at: now,
    };
  });
  const rows = await insertValues(tx, { json: JSON.stringify(values) });
  const byID = new Map(rows.map((row) => [row.id, row]));
  return values.map(({ id }, index) => {
    const row = byID.get(id);
    if (!row) throw new ApiError("ERR_DUPLICATE_VALUE", { path: pathAt(index, "name") });
    return row;
  });
}

const INSERTED_COLUMNS = [
  "id",
  "organization_id",
  "network_id",
  "role_id",
  "name",
  "ip_address",
  "ipv6_address",
  "static_addresses",
  "listen_port",
  "is_lighthouse",
  "is_relay",
  "tags",
  "config_overrides",
  "description",
  "owner",
  "search_text",
  "created_at",
  "modified_at",
] as const;

/** One JSON value, because a statement accepts only 65,535 parameters and a host has eighteen. */
const insertValues = prepareQuery((tx: Writer, { json }: { json: string }) =>
  tx
    .insertInto("hosts")
    .columns(INSERTED_COLUMNS)
    .expression(
      sql`select ${sql.join(INSERTED_COLUMNS.map((column) => sql.ref(column)))}
        from jsonb_populate_recordset(null::hosts, ${json}::jsonb)`,
    )
    .onConflict((conflict) => conflict.constraint("hosts_name_unique").doNothing())
    .returning(HOST_COLUMNS),
);
