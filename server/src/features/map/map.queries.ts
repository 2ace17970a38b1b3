import {
  type HostStatus,
  MAP_HOSTS_MAX,
  MAP_OVERVIEW_TAGS_MAX,
  MAP_ROUTES_MAX,
  type MapHostCounts,
} from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { statusesOf } from "../../nouns/hosts/host-filters.ts";

export function findMapNetwork(db: Reader, organizationID: string, networkID: string) {
  return db
    .selectFrom("networks")
    .select(["id", "host_count"])
    .where("organization_id", "=", organizationID)
    .where("id", "=", networkID)
    .executeTakeFirst();
}

/** Limits the work for networks in which every host has tunnels to hundreds of others. */
const REPORTS_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The tunnels as "10.0.0.2,10.0.0.3 10.0.0.9,10.0.0.4 ": each has the address of the other end; if it isn't direct, a space
 * and the address of the relay, if that is known. Null unless the host is online and has reported. Only what the map
 * shows of a report leaves the database, as one text, which takes half the time of JSON.
 */
const reportedPaths = sql<string | null>`
  case when hosts.is_online and not hosts.is_blocked
      and sum(pg_column_size(report.tunnels)) over (order by hosts.id) <= ${REPORTS_BYTES_MAX}
    then (select string_agg((tunnel ->> 'vpnIp') || case when tunnel ->> 'remoteAddress' is null
          then ' ' || coalesce(tunnel #>> '{relays,0}', '') else '' end, ',')
        from jsonb_array_elements(report.tunnels) tunnel) end`;

/** The hosts with their tunnels, in one statement. */
export function listMapHosts(
  db: Reader,
  organizationID: string,
  { networkID, now }: { networkID: string; now: Date },
) {
  return db
    .selectFrom("hosts")
    .leftJoin("host_reports as report", "report.host_id", "hosts.id")
    .select([
      "hosts.id",
      "hosts.name",
      sql<string>`host(hosts.ip_address)`.as("ip_address"),
      sql<string | null>`host(hosts.ipv6_address)`.as("ipv6_address"),
      "hosts.role_id",
      // The driver parses JSON much faster than arrays and dates.
      sql<string[]>`to_jsonb(hosts.tags)`.as("tags"),
      "hosts.is_lighthouse",
      "hosts.is_relay",
      "hosts.is_enrolled",
      "hosts.agent_version",
      sql<HostStatus[]>`to_jsonb(${statusesOf(now)})`.as("statuses"),
      sql<number | null>`extract(epoch from report.reported_at)::float8`.as("reported_at"),
      reportedPaths.as("paths"),
    ])
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.network_id", "=", networkID)
    .orderBy("hosts.id")
    .limit(MAP_HOSTS_MAX)
    .execute();
}

export type MapHostRow = Awaited<ReturnType<typeof listMapHosts>>[number];

/** The routes whose router is in the network. */
export function listMapRoutes(db: Reader, organizationID: string, networkID: string) {
  return db
    .selectFrom("routes")
    .innerJoin("hosts as router", "router.id", "routes.router_host_id")
    .select(["routes.id", "routes.name", "routes.routable_cidrs", "router.id as router_id"])
    .where("routes.organization_id", "=", organizationID)
    .where("router.organization_id", "=", organizationID)
    .where("router.network_id", "=", networkID)
    .orderBy("routes.name")
    .orderBy("routes.id")
    .limit(MAP_ROUTES_MAX)
    .execute();
}

export type MapRouteRow = Awaited<ReturnType<typeof listMapRoutes>>[number];

export interface GroupCountsRow extends MapHostCounts {
  role_id: string | null;
  /** '' for the counts of a role. */
  tag: string;
}

/** The counts by role and by tag. */
export async function countMapGroups(
  db: Reader,
  organizationID: string,
  networkID: string,
): Promise<GroupCountsRow[]> {
  const sumOf = (condition: string) =>
    sql<number>`coalesce(sum(count) filter (where ${sql.raw(condition)}), 0)::int`;
  return db
    .selectFrom("host_counts")
    .select([
      sql<string | null>`case when tag = '' then role_id end`.as("role_id"),
      "tag",
      sql<number>`sum(count)::int`.as("hosts"),
      sumOf("is_lighthouse").as("lighthouses"),
      sumOf("is_relay").as("relays"),
      sumOf("is_online and not is_blocked").as("online"),
      sumOf("is_enrolled and not is_online and not is_blocked").as("offline"),
      sumOf("not is_enrolled and not is_blocked").as("neverEnrolled"),
      sumOf("is_blocked").as("blocked"),
      sumOf("is_drifted").as("drifted"),
    ])
    .where("organization_id", "=", organizationID)
    .where("network_id", "=", networkID)
    .groupBy([sql`1`, "tag"])
    .having(sql<boolean>`sum(count) > 0`)
    .orderBy(sql`tag = ''`, "desc")
    .orderBy("hosts", "desc")
    .orderBy("tag")
    .limit(2 * MAP_OVERVIEW_TAGS_MAX)
    .execute();
}
