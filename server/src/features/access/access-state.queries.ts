/** Reads what decides who reaches whom in an organization: everything, or only what has changed. */
import type { FirewallRule, Guarantee, RouteFirewallRule } from "@lightkeeper/contract";
import { type RawBuilder, sql } from "kysely";
import type { Reader, UnauditedWriter } from "../../infrastructure/db/client.ts";
import type { HostAddresses } from "../../nouns/hosts/host-addresses.ts";

export interface HostState extends HostAddresses {
  id: string;
  name: string;
  networkID: string;
  roleID: string | null;
  tags: string[];
  nebulaVersion: string | null;
  isBlocked: boolean;
  caID: string | null;
  certificateExpiresAt: string | null;
  /** The person who enrolled the device by signing in. */
  ownerID: string | null;
}

export interface NetworkState {
  id: string;
  name: string;
  cidr: string | null;
  ipv6_cidr: string | null;
  trustedCaIDs: string[];
}

export interface RoleState {
  id: string;
  name: string;
  firewallRules: FirewallRule[];
}

export interface TagState {
  id: string;
  firewallRules: FirewallRule[];
  /** The routes that hosts with the tag use. */
  routeIDs: string[];
}

export interface RouteState {
  id: string;
  name: string;
  /** Null if the route has no router. */
  routerHostID: string | null;
  routableCIDRs: Record<string, { install: boolean }>;
  firewallRules: RouteFirewallRule[];
  acceptWiderRules: boolean;
}

export interface GuaranteeState extends Pick<
  Guarantee,
  "id" | "type" | "source" | "destination" | "protocol" | "portRange" | "networkID" | "description"
> {
  suspendedUntil: string | null;
}

/** Objects of every kind, by the kind that `access_changes` calls them. */
export interface AccessObjects {
  network: NetworkState[];
  role: RoleState[];
  tag: TagState[];
  route: RouteState[];
  guarantee: GuaranteeState[];
  host: HostState[];
}
export type ObjectKind = keyof AccessObjects;

const HOSTS = sql`
  select hosts.id, hosts.name, hosts.ip_address, hosts.ipv6_address, hosts.network_id as "networkID",
    hosts.role_id as "roleID", hosts.tags, host_reports.nebula_version as "nebulaVersion",
    hosts.is_blocked as "isBlocked", hosts.ca_id as "caID",
    hosts.certificate_expires_at as "certificateExpiresAt", hosts.endpoint_oidc_user_id as "ownerID"
  from hosts left join host_reports on host_reports.host_id = hosts.id`;

/** The objects of each kind in an organization, and the column that `access_changes` names them by. */
const objectQueries: Record<ObjectKind, { rows: RawBuilder<unknown>; key: RawBuilder<unknown> }> = {
  network: {
    rows: sql`
      select id, name, cidr, ipv6_cidr, array(
        select id from certificate_authorities authorities
        where authorities.network_id = networks.id and state <> 'RETIRED') as "trustedCaIDs"
      from networks`,
    key: sql`networks.id`,
  },
  role: { rows: sql`select id, name, firewall_rules as "firewallRules" from roles`, key: sql`roles.id` },
  tag: {
    rows: sql`
      select name as id, firewall_rules as "firewallRules", array(
        select route_id from route_subscriptions subscribed
        where subscribed.organization_id = tags.organization_id and subscribed.tag = tags.name
        order by route_id) as "routeIDs"
      from tags`,
    key: sql`tags.name`,
  },
  route: {
    rows: sql`
      select id, name, router_host_id as "routerHostID", routable_cidrs as "routableCIDRs",
        firewall_rules as "firewallRules", accept_wider_rules as "acceptWiderRules"
      from routes`,
    key: sql`routes.id`,
  },
  guarantee: {
    rows: sql`
      select id, type, source, destination, protocol, port_range as "portRange", network_id as "networkID",
        description, suspended_until as "suspendedUntil"
      from guarantees`,
    key: sql`guarantees.id`,
  },
  host: { rows: HOSTS, key: sql`hosts.id` },
};

const objectKinds = Object.keys(objectQueries) as ObjectKind[];

const DELETED_UP_TO = sql`(select max(key::numeric) from access_changes where organization_id = '')`;

/**
 * The oldest running transaction: what every older one has changed is visible now. At most the one after the latest
 * committed change, because after a crash or failover the database assigns the IDs of lost transactions again.
 */
const horizonOf = (organizationID: string) => sql`least(
  pg_snapshot_xmin(pg_current_snapshot())::text::numeric,
  1 + greatest(0, ${DELETED_UP_TO}, (
    select transaction_id::text::numeric from access_changes
      where organization_id = ${organizationID}
        and transaction_id is distinct from pg_current_xact_id_if_assigned()
      order by access_changes.transaction_id desc limit 1)))::text`;

const toJsonArray = (rows: RawBuilder<unknown>) =>
  sql`(select coalesce(jsonb_agg(to_jsonb(object)), '[]'::jsonb) from (${rows}) object)`;

/** Selects the columns of one row. */
const selectOne = <Row>(db: Reader, columns: RawBuilder<unknown>) =>
  db
    .selectFrom(sql<Row>`(select ${columns})`.as("result"))
    .selectAll()
    .executeTakeFirstOrThrow() as Promise<Row>;

export type StateWithoutHosts = Omit<AccessObjects, "host"> & { horizon: string };

export function readStateWithoutHosts(db: Reader, organizationID: string): Promise<StateWithoutHosts> {
  const columns = objectKinds
    .filter((kind) => kind !== "host")
    .map(
      (kind) =>
        sql`${toJsonArray(sql`${objectQueries[kind].rows} where organization_id = ${organizationID}`)} as ${sql.ref(kind)}`,
    );
  return selectOne(db, sql.join([sql`${horizonOf(organizationID)} as horizon`, ...columns]));
}

const HOSTS_PER_STATEMENT = 5000;

/**
 * Reads the hosts in several statements, so that none takes long. The next ones are read while the caller works with
 * the last ones.
 */
export async function* readHostStates(db: Reader, organizationID: string): AsyncGenerator<HostState[]> {
  const read = (lastID: string) =>
    selectOne<{ hosts: HostState[] }>(
      db,
      sql`${toJsonArray(sql`
        ${HOSTS} where hosts.organization_id = ${organizationID} and hosts.id > ${lastID}
        order by hosts.id limit ${HOSTS_PER_STATEMENT}`)} as hosts`,
    );
  let next: ReturnType<typeof read> | undefined = read("");
  while (next) {
    const { hosts }: { hosts: HostState[] } = await next;
    next = hosts.length < HOSTS_PER_STATEMENT ? undefined : read(hosts.at(-1)?.id ?? "");
    // Its error is thrown when the caller is done with these hosts.
    next?.catch(() => undefined);
    yield hosts;
  }
}

/** An object that was created, changed or deleted. */
export interface ChangedKey {
  kind: ObjectKind;
  key: string;
}

/** Deleted objects have only a key. */
export type ObjectChanges<Key = ChangedKey> = AccessObjects & { keys: Key[] };

interface LoggedKey extends ChangedKey {
  /** Whether the transaction that reads it has changed the object. */
  isOwn: boolean;
}

export interface ChangesSince extends ObjectChanges<LoggedKey> {
  horizon: string;
  /** The revision of each network. */
  revisions: Record<string, number>;
  /** Changes of transactions up to this one are no longer stored; null if all are. */
  deletedUpTo: string | null;
}

type ChangesOfKinds = Omit<ChangesSince, ObjectKind> & Partial<AccessObjects>;

/**
 * With an upper limit, the planner expects few changes since an unknown horizon. The subquery hides the horizon from it,
 * so that it keeps one plan instead of planning the statement for each horizon.
 */
const LAST_TRANSACTION = sql`'18446744073709551615'::xid8`;

const readChangesOfKinds = (
  db: Reader,
  organizationID: string,
  horizon: string,
  kinds: ReadonlySet<ObjectKind>,
): Promise<ChangesOfKinds> => {
  const objects = [...kinds].map((kind) => {
    const { rows, key } = objectQueries[kind];
    const keys = sql`array(select key from changed where kind = ${kind})`;
    const ofOrganization = kind === "host" ? sql`hosts.organization_id` : sql`organization_id`;
    return sql`${toJsonArray(
      sql`${rows} where ${ofOrganization} = ${organizationID} and ${key} = any(${keys})`,
    )} as ${sql.ref(kind)}`;
  });
  const columns = [
    sql`${toJsonArray(sql`select kind, key, "isOwn" from changed`)} as keys`,
    sql`${horizonOf(organizationID)} as horizon`,
    sql`(select coalesce(jsonb_object_agg(id, revision), '{}'::jsonb) from networks
      where organization_id = ${organizationID}) as revisions`,
    sql`${DELETED_UP_TO}::text as "deletedUpTo"`,
    ...objects,
  ];
  const result = sql<ChangesOfKinds>`(
    with changed as materialized (
      select distinct kind, key,
        coalesce(transaction_id = pg_current_xact_id_if_assigned(), false) as "isOwn"
      from access_changes
      where organization_id = ${organizationID} and transaction_id between (select ${horizon}::xid8) and ${LAST_TRANSACTION})
    select ${sql.join(columns)})`;
  // With names instead of `*`, the database keeps the plan of the statement.
  const names = ["keys", "horizon", "revisions", "deletedUpTo", ...kinds] as const;
  return db.selectFrom(result.as("result")).select(names).executeTakeFirstOrThrow();
};

export const noObjects: AccessObjects = {
  network: [],
  role: [],
  tag: [],
  route: [],
  guarantee: [],
  host: [],
};

/**
 * What has changed since the horizon: everything that was committed and, in a transaction, what the transaction has
 * changed so far. Planning takes longer than reading, and most changes are changes of hosts, so other kinds are read
 * only if needed.
 */
export async function readChangesSince(
  db: Reader,
  organizationID: string,
  horizon: string,
  kinds: ReadonlySet<ObjectKind> = new Set(["host"]),
): Promise<ChangesSince> {
  const changes = await readChangesOfKinds(db, organizationID, horizon, kinds);
  const missing = changes.keys.map(({ kind }) => kind).filter((kind) => !kinds.has(kind));
  // One statement reads all of them, so that they are of the same moment.
  if (missing.length > 0)
    return readChangesSince(db, organizationID, horizon, new Set([...kinds, ...missing]));
  return { ...noObjects, ...changes };
}

/** Deletes changes that no process is likely to need, and stores up to which one, for those that do. */
export async function deleteOldChanges(db: UnauditedWriter, before: Date): Promise<void> {
  await sql`
    with deleted as (
      delete from access_changes where created_at < ${before} returning organization_id, key, transaction_id)
    insert into access_changes (organization_id, kind, key)
      select '', 'deleted', max(case when organization_id = '' then key::numeric else transaction_id::text::numeric end)
      from deleted having count(*) > 0`.execute(db);
}

export async function hasGuarantees(db: Reader, organizationID: string): Promise<boolean> {
  const row = await db
    .selectFrom("guarantees")
    .select("id")
    .where("organization_id", "=", organizationID)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
