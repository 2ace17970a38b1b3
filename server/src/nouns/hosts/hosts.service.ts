import type { ConfigOverrides } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { violates } from "../../infrastructure/db/violations.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type HeldNetwork, holdNetworks } from "../networks/held-networks.service.ts";
import { holdOrganization } from "../organizations/held-organization.service.ts";
import { holdRoles } from "../roles/held-roles.service.ts";
import { checkOverrides } from "../tags/config-overrides.service.ts";
import { ensureTags } from "../tags/named-tags.service.ts";
import { allocateAddresses } from "./addresses.service.ts";
import { auditHost, entryOf } from "./host-audit.ts";
import { refuseImpossible } from "./host-rules.ts";
import {
  countAllHosts,
  findHost,
  findTakenNames,
  HOST_COLUMNS,
  type HostRow,
  type SeenHostRow,
} from "./hosts.queries.ts";
import { searchTextOf } from "./search-text.ts";

export interface HostInput {
  networkID: string;
  name: string;
  roleID: string | null;
  /** An address, a prefix to take one from, or nothing. */
  address: string | undefined;
  staticAddresses: string[];
  listenPort: number;
  isLighthouse: boolean;
  isRelay: boolean;
  tags: string[];
  configOverrides: ConfigOverrides;
}

export interface CreateHosts {
  author: Author;
  now: Date;
  hosts: readonly HostInput[];
  /** What the caller calls a property of the host at that place; the address is `address`. */
  at: (index: number, property: string) => string;
  /** The caller knows hosts of one IPv4 address only. */
  oneAddress?: boolean;
}

export interface Created {
  rows: HostRow[];
  entries: AuditEntry[];
}

export interface CreateHost {
  author: Author;
  now: Date;
  host: HostInput;
  /** Which version of the call: each has its own name for the address. */
  calledThrough: "v1" | "v2";
}

export async function createHost(
  ctx: Context,
  tx: Writer,
  { author, now, host, calledThrough }: CreateHost,
): Promise<{ row: SeenHostRow; entries: [AuditEntry, ...AuditEntry[]] }> {
  const address = calledThrough === "v1" ? "ipAddress" : "ipAddresses[0]";
  const at = (_index: number, property: string) => (property === "address" ? address : property);
  const oneAddress = calledThrough === "v1";
  const { rows, entries } = await createHosts(ctx, tx, { author, now, hosts: [host], at, oneAddress });
  const [[made], [entry, ...others]] = [rows, entries];
  const row = made && (await findHost(tx, author.organizationID, { id: made.id, now }));
  if (!row || !entry) throw new Error("No host was made");
  return { row, entries: [entry, ...others] };
}

export async function createHosts(ctx: Context, tx: Writer, request: CreateHosts): Promise<Created> {
  const { author, now, hosts, at } = request;
  for (const [index, host] of hosts.entries()) {
    refuseImpossible(host, (property) => at(index, property));
    checkOverrides(host.configOverrides, (property) => at(index, property));
  }
  await holdRoom(ctx, tx, author.organizationID, hosts.length);
  const tags = hosts.flatMap((host) => host.tags);
  const tagEntries = await ensureTags(tx, { author, names: tags, now });
  await refuseUnknownRoles(tx, request);
  const networks = await heldNetworks(tx, request);
  const addresses: string[] = [];
  for (const network of networks.values())
    for (const [index, address] of await placed(tx, network, request)) addresses[index] = address;
  const rows = await insertHosts(tx, request, addresses);
  const created = rows.map((row) => entryOf(author, row, "CREATED", null, auditHost(row)));
  return { rows, entries: [...tagEntries, ...created] };
}

/** On the free plan nobody else makes a host until this one is counted. */
async function holdRoom(ctx: Context, tx: Writer, organizationID: string, more: number): Promise<void> {
  const { plan } = await tx
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", organizationID)
    .executeTakeFirstOrThrow();
  if (plan !== "free") return;
  await holdOrganization(tx, organizationID);
  const limit = ctx.config.freePlanHostLimit;
  if ((await countAllHosts(tx, organizationID)) + more > limit)
    throw new ApiError("ERR_LIMIT_EXCEEDED", {
      message: `the free plan ends at ${limit} hosts`,
      extra: { limit },
    });
}

async function refuseUnknownRoles(tx: Writer, { author, hosts, at }: CreateHosts): Promise<void> {
  const named = hosts.flatMap(({ roleID }) => roleID ?? []);
  const known = await holdRoles(tx, author.organizationID, [...new Set(named)]);
  const stray = hosts.findIndex(({ roleID }) => roleID !== null && !known.has(roleID));
  if (stray !== -1) throw new ApiError("ERR_INVALID_REFERENCE", { path: at(stray, "roleID") });
}

async function heldNetworks(
  tx: Writer,
  { author, hosts, at, oneAddress }: CreateHosts,
): Promise<Map<string, HeldNetwork>> {
  const named = new Set(hosts.map(({ networkID }) => networkID));
  const networks = await holdNetworks(tx, author.organizationID, [...named]);
  const stray = hosts.findIndex(({ networkID }) => !networks.has(networkID));
  if (stray !== -1) throw new ApiError("ERR_INVALID_REFERENCE", { path: at(stray, "networkID") });
  if (oneAddress && [...networks.values()].some(({ cert_version }) => cert_version === 2))
    throw new ApiError("ERR_CERT_VERSION_2_INCOMPATIBLE");
  return networks;
}

/** Names looked at and addresses given to the hosts of one network, each with its place among all. */
async function placed(
  tx: Writer,
  network: HeldNetwork,
  { hosts, at }: CreateHosts,
): Promise<[index: number, address: string][]> {
  const own = [...hosts.entries()].filter(([, { networkID }]) => networkID === network.id);
  if (own.length > 1) await refuseTakenNames(tx, network, own, at);
  const asked = own.map(([index, { address }]) => ({ wanted: address, path: at(index, "address") }));
  const addresses = await allocateAddresses(tx, network, asked);
  return own.map(([index], place) => [index, addresses[place] ?? ""]);
}

async function refuseTakenNames(
  tx: Writer,
  network: HeldNetwork,
  hosts: [number, HostInput][],
  at: CreateHosts["at"],
): Promise<void> {
  const names = hosts.map(([, { name }]) => name);
  const taken = await findTakenNames(tx, network.id, names);
  const seen = new Set<string>();
  for (const [index, { name }] of hosts) {
    if (taken.has(name) || seen.has(name.toLowerCase()))
      throw new ApiError("ERR_DUPLICATE_VALUE", { path: at(index, "name") });
    seen.add(name.toLowerCase());
  }
}

async function insertHosts(
  tx: Writer,
  { author, now, hosts, at }: CreateHosts,
  addresses: string[],
): Promise<HostRow[]> {
  const values = hosts.map((host, index) => {
    const tags = [...new Set(host.tags)];
    const ip_address = addresses[index] ?? "";
    return {
      id: newId("host"),
      organization_id: author.organizationID,
      network_id: host.networkID,
      role_id: host.roleID,
      name: host.name,
      ip_address,
      static_addresses: host.staticAddresses,
      listen_port: host.listenPort,
      is_lighthouse: host.isLighthouse,
      is_relay: host.isRelay,
      tags,
      config_overrides: host.configOverrides,
      search_text: searchTextOf({ name: host.name, ip_address, tags }),
      created_at: now,
      modified_at: now,
    };
  });
  try {
    // One value, whatever their number: a statement takes 65,535 and a host would use up fifteen.
    return await tx
      .insertInto("hosts")
      .columns(NEW_COLUMNS)
      .expression(
        sql`select ${sql.join(NEW_COLUMNS.map((column) => sql.ref(column)))}
          from jsonb_populate_recordset(null::hosts, ${JSON.stringify(values)}::jsonb)`,
      )
      .returning(HOST_COLUMNS)
      .execute();
  } catch (error) {
    if (violates(error, "hosts_name_unique"))
      throw new ApiError("ERR_DUPLICATE_VALUE", { path: at(0, "name") });
    throw error;
  }
}

const NEW_COLUMNS = [
  "id",
  "organization_id",
  "network_id",
  "role_id",
  "name",
  "ip_address",
  "static_addresses",
  "listen_port",
  "is_lighthouse",
  "is_relay",
  "tags",
  "config_overrides",
  "search_text",
  "created_at",
  "modified_at",
] as const;
