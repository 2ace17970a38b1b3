import type { HostStatus } from "@lightkeeper/contract";
import { type Selectable, sql } from "kysely";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import type { Reference } from "../firewall-rules/detached-rules.ts";
import { statusesOf } from "./host-filters.ts";

/** All columns except those that only the database uses. */
export const HOST_COLUMNS = [
  "hosts.id",
  "hosts.organization_id",
  "hosts.network_id",
  "hosts.role_id",
  "hosts.endpoint_oidc_user_id",
  "hosts.name",
  "hosts.name_key",
  "hosts.ip_address",
  "hosts.ipv6_address",
  "hosts.static_addresses",
  "hosts.listen_port",
  "hosts.is_lighthouse",
  "hosts.is_relay",
  "hosts.is_blocked",
  "hosts.tags",
  "hosts.config_overrides",
  "hosts.description",
  "hosts.owner",
  "hosts.enrolled_at",
  "hosts.agent_name",
  "hosts.agent_version",
  "hosts.created_at",
  "hosts.modified_at",
] as const;

type Column = (typeof HOST_COLUMNS)[number] extends `hosts.${infer Name}` ? Name : never;
export type HostRow = Pick<Selectable<Tables["hosts"]>, Column & keyof Tables["hosts"]>;
export interface SeenHostRow extends HostRow {
  /** A number means never. */
  last_seen_at: Date | number;
  /** The same, never later than now. */
  shown_last_seen_at: Date | number;
  certificate_expires_at: Date | null;
  nebula_version: string | null;
  statuses: HostStatus[];
}

const FIXED_COLUMNS = [
  ...HOST_COLUMNS,
  "host_presence.last_seen_at",
  "hosts.certificate_expires_at",
] as const;
/** One SQL string: building this many columns for each request takes longer than the rest of the query. */
const fixedColumns = sql.raw(FIXED_COLUMNS.join(", ")) as unknown as (typeof FIXED_COLUMNS)[number];

/** The columns that the API shows, including the reported ones. They are evaluated after the rows are selected. */
export const seenColumns = (now: Date) => [
  fixedColumns,
  sql<Date | number>`least(host_presence.last_seen_at, ${now})`.as("shown_last_seen_at"),
  sql<string | null>`(select nebula_version from host_reports where host_id = hosts.id)`.as("nebula_version"),
  statusesOf(now).as("statuses"),
];

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("hosts").where("hosts.organization_id", "=", organizationID);

const seenHosts = (db: Reader, organizationID: string, now: Date) =>
  ofOrganization(db, organizationID)
    .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
    .select(seenColumns(now));

export function findHost(
  db: Reader,
  organizationID: string,
  { id, now }: { id: string; now: Date },
): Promise<SeenHostRow | undefined> {
  return seenHosts(db, organizationID, now).where("hosts.id", "=", id).executeTakeFirst();
}

/** Returns the hosts that exist, in the order of the ids. */
export async function findHosts(
  db: Reader,
  organizationID: string,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<SeenHostRow[]> {
  if (ids.length === 0) return [];
  const rows = await seenHosts(db, organizationID, now).where("hosts.id", "in", ids).execute();
  const byID = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byID.get(id) ?? []);
}

/** The networks of the hosts, which never change. */
export async function findNetworkIDs(
  db: Reader,
  organizationID: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await ofOrganization(db, organizationID)
    .select("hosts.network_id")
    .distinct()
    .where("hosts.id", "in", ids)
    .execute();
  return rows.map((row) => row.network_id);
}

export async function findExistingIDs(
  db: Reader,
  organizationID: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await ofOrganization(db, organizationID)
    .select("hosts.id")
    .where(sql<boolean>`hosts.id = any(${ids}::text[])`)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** In the order in which hosts are locked. */
export async function findHostIDsOf(
  db: Reader,
  organizationID: string,
  reference: Reference,
): Promise<string[]> {
  const hosts = ofOrganization(db, organizationID).select("hosts.id").orderBy("hosts.id");
  const rows = await (
    "roleID" in reference
      ? hosts.where("hosts.role_id", "=", reference.roleID)
      : hosts.where("hosts.id", "in", (eb) =>
          eb
            .selectFrom("host_tags")
            .select("host_id")
            .where("organization_id", "=", organizationID)
            .where("tag", "=", reference.tag),
        )
  ).execute();
  return rows.map(({ id }) => id);
}

/** Those of the hosts that are routers. */
export async function findRouters(tx: Writer, organizationID: string, ids: readonly string[]) {
  const rows = await tx
    .selectFrom("routes")
    .select("router_host_id")
    .where("organization_id", "=", organizationID)
    .where("router_host_id", "in", ids)
    .execute();
  return new Set(rows.map((row) => row.router_host_id));
}

export async function countAllHosts(db: Reader, organizationID: string): Promise<number> {
  const { count } = await db
    .selectFrom("host_counts")
    .select(({ fn }) => fn.sum<number | null>("count").as("count"))
    .where("organization_id", "=", organizationID)
    .where("tag", "=", "")
    .executeTakeFirstOrThrow();
  return count ?? 0;
}
