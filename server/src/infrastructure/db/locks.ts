/**
 * Row locks, held until the transaction ends. Every wait for a row that another request may have locked starts here,
 * so that the order is the same everywhere. Claims with SKIP LOCKED never wait and stay with their queries.
 */
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { UnauditedWriter, Writer } from "./client.ts";
import { recordLock } from "./lock-order.ts";
import type { Tables } from "./tables.ts";

/** Transactions lock rows of these tables in this order, so that no two can wait for each other. */
export const LOCK_ORDER = [
  "organizations",
  "users",
  "oidc_providers",
  "oidc_users",
  "api_keys",
  "totp_setups",
  "endpoint_auth_requests",
  "device_requests",
  "tags",
  "roles",
  "routes",
  "networks",
  "certificate_authorities",
  "hosts",
  "jobs",
] as const;
type LockedTable = (typeof LOCK_ORDER)[number];

type Locker = Writer | UnauditedWriter;
type Strength = "update" | "no key update" | "share" | "key share";
type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
type Keys = readonly string[];

/** Rows of one table are locked in the order of their keys. */
const OTHER_KEYS: Partial<Record<LockedTable, string>> = {
  tags: "name",
  totp_setups: "token_hash",
  endpoint_auth_requests: "poll_token_hash",
};
const keyOf = (table: LockedTable) => OTHER_KEYS[table] ?? "id";

interface Lock<Table extends LockedTable> {
  table: Table;
  strength: Strength;
  where: RawBuilder<unknown>;
  /** Undefined: unknown before the rows are found. */
  keys: Keys | undefined;
  isSkippingLocked?: boolean;
}

async function lockRows<Table extends LockedTable>(
  tx: Locker,
  { table, strength, where, keys, isSkippingLocked = false }: Lock<Table>,
): Promise<Row<Table>[]> {
  if (keys?.length === 0) return [];
  const key = keyOf(table);
  const record = recordLock(tx, table, keys);
  const { rows } = await sql<Row<Table>>`
    select * from ${sql.table(table)} where ${where} order by ${sql.ref(key)}
      for ${sql.raw(strength)} ${sql.raw(isSkippingLocked ? "skip locked" : "")}`.execute(tx);
  record(rows.map((row) => String((row as Record<string, unknown>)[key])));
  return rows;
}

const inOrganization = (organizationID: string) => sql`organization_id = ${organizationID}`;

const byKeys = <Table extends LockedTable>(
  table: Table,
  strength: Strength,
  organizationID: string,
  keys: Keys,
): Lock<Table> => ({
  table,
  strength,
  keys,
  where: sql`${inOrganization(organizationID)} and ${sql.ref(keyOf(table))} = any(${keys}::text[])`,
});

async function lockOne<Table extends LockedTable>(
  tx: Locker,
  lock: Lock<Table>,
): Promise<Row<Table> | undefined> {
  const [row] = await lockRows(tx, lock);
  return row;
}

const organization = (strength: Strength, id: string): Lock<"organizations"> => ({
  table: "organizations",
  strength,
  keys: [id],
  where: sql`id = ${id}`,
});

/** Excludes other changes of the kind that an organization does one at a time. */
export const lockOrganizationForNoKeyUpdate = (tx: Writer, id: string) =>
  lockOne(tx, organization("no key update", id));

export const lockOrganizationForUpdate = (tx: Writer, id: string) => lockOne(tx, organization("update", id));

export const lockUserForNoKeyUpdate = (tx: Writer, id: string) =>
  lockOne(tx, { table: "users", strength: "no key update", keys: [id], where: sql`id = ${id}` });

/** Keeps the provider as it is. */
export const lockOidcProviderForShare = (tx: Writer, organizationID: string) =>
  lockOne(tx, {
    table: "oidc_providers",
    strength: "share",
    keys: undefined,
    where: inOrganization(organizationID),
  });

export const lockOidcUserForUpdate = (
  tx: Writer,
  organizationID: string,
  { issuer, subject }: { issuer: string; subject: string },
) =>
  lockOne(tx, {
    table: "oidc_users",
    strength: "update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and issuer = ${issuer} and subject = ${subject}`,
  });

export const lockApiKeyForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("api_keys", "update", organizationID, [id]));

export const lockTotpSetupForUpdate = (tx: Writer, tokenHash: Buffer) =>
  lockOne(tx, {
    table: "totp_setups",
    strength: "update",
    keys: undefined,
    where: sql`token_hash = ${tokenHash}`,
  });

export const lockEndpointAuthRequestForUpdate = (tx: Writer, pollTokenHash: Buffer) =>
  lockOne(tx, {
    table: "endpoint_auth_requests",
    strength: "update",
    keys: undefined,
    where: sql`poll_token_hash = ${pollTokenHash}`,
  });

export const lockDeviceRequestForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("device_requests", "update", organizationID, [id]));

/** Keeps the tags from being deleted. */
export const lockTagsForKeyShare = (tx: Writer, organizationID: string, names: Keys) =>
  lockRows(tx, byKeys("tags", "key share", organizationID, names));

export const lockTagsForNoKeyUpdate = (tx: Writer, organizationID: string, names: Keys) =>
  lockRows(tx, byKeys("tags", "no key update", organizationID, names));

/** Excludes changes of the tags, and also new uses of them. */
export const lockTagsForUpdate = (tx: Writer, organizationID: string, names: Keys) =>
  lockRows(tx, byKeys("tags", "update", organizationID, names));

/** Keeps the roles from being deleted. */
export const lockRolesForKeyShare = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("roles", "key share", organizationID, ids));

export const lockRoleForNoKeyUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("roles", "no key update", organizationID, [id]));

/** The roles that match a condition on their columns. */
export const lockRolesForNoKeyUpdate = (tx: Writer, organizationID: string, condition: RawBuilder<boolean>) =>
  lockRows(tx, {
    table: "roles",
    strength: "no key update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and ${condition}`,
  });

/** Excludes changes of the role, and also new uses of it. */
export const lockRoleForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("roles", "update", organizationID, [id]));

/** Keeps the routes from being deleted. */
export const lockRoutesForKeyShare = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("routes", "key share", organizationID, ids));

export const lockRouteForNoKeyUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("routes", "no key update", organizationID, [id]));

/** The routes that match a condition on their columns. */
export const lockRoutesForNoKeyUpdate = (
  tx: Writer,
  organizationID: string,
  condition: RawBuilder<boolean>,
) =>
  lockRows(tx, {
    table: "routes",
    strength: "no key update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and ${condition}`,
  });

/** Excludes changes of the route, and also new subscriptions to it. */
export const lockRouteForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("routes", "update", organizationID, [id]));

/** Keeps the network from being deleted. */
export const lockNetworkForKeyShare = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("networks", "key share", organizationID, [id]));

/** Excludes other changes of the networks and of their hosts: a change of a host locks its network first. */
export const lockNetworksForNoKeyUpdate = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("networks", "no key update", organizationID, ids));

export const lockAllNetworksForNoKeyUpdate = (tx: Writer, organizationID: string) =>
  lockRows(tx, {
    table: "networks",
    strength: "no key update",
    keys: undefined,
    where: inOrganization(organizationID),
  });

/** For callers that know networks of any organization, such as agents. */
export async function lockNetworksOfHostsForNoKeyUpdate(tx: Locker, ids: Keys): Promise<void> {
  const keys = [...new Set(ids)];
  await lockRows(tx, {
    table: "networks",
    strength: "no key update",
    keys,
    where: sql`id = any(${keys}::text[])`,
  });
}

/** Excludes changes of the network, and also new hosts in it. */
export const lockNetworkForUpdate = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("networks", "update", organizationID, [id]));

export const lockCertificateAuthoritiesForNoKeyUpdate = (
  tx: Writer,
  organizationID: string,
  networkID: string,
) =>
  lockRows(tx, {
    table: "certificate_authorities",
    strength: "no key update",
    keys: undefined,
    where: sql`${inOrganization(organizationID)} and network_id = ${networkID}`,
  });

/** Keeps the host from being deleted. */
export const lockHostForKeyShare = (tx: Writer, organizationID: string, id: string) =>
  lockOne(tx, byKeys("hosts", "key share", organizationID, [id]));

const hosts = (strength: Strength, ids: Keys): Lock<"hosts"> => ({
  table: "hosts",
  strength,
  keys: ids,
  where: sql`id = any(${ids}::text[])`,
});

/** For callers that know hosts of any organization, such as agents. */
export const lockHostForNoKeyUpdate = (tx: Locker, id: string) => lockOne(tx, hosts("no key update", [id]));

/** For the call that enrolls a host, which knows no organization yet. */
export const lockHostForUpdate = (tx: Writer, id: string) => lockOne(tx, hosts("update", [id]));

export const lockHostsForUpdate = (tx: Writer, organizationID: string, ids: Keys) =>
  lockRows(tx, byKeys("hosts", "update", organizationID, ids));

/** Keeps the hosts from being blocked or deleted. With `isSkippingLocked`, rows that are locked are left out. */
export const lockHostsForKeyShare = (
  tx: UnauditedWriter,
  ids: Keys,
  { isSkippingLocked }: { isSkippingLocked: boolean },
) => lockRows(tx, { ...hosts("key share", ids), isSkippingLocked });

export const lockHostsForNoKeyUpdate = (tx: Locker, ids: Keys) => lockRows(tx, hosts("no key update", ids));

export const lockJobForUpdate = (tx: UnauditedWriter, id: string) =>
  lockOne(tx, { table: "jobs", strength: "update", keys: [id], where: sql`id = ${id}` });
