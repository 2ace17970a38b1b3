import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { addressesOf, hasAddress } from "../../nouns/hosts/host-addresses.ts";
import { COMPILED_HOST_COLUMNS } from "../agents/compiled-host.ts";

/** A host with the configuration it was sent and its report, in one statement. */
export function findHostState(db: Reader, organizationID: string, id: string) {
  return db
    .selectFrom("hosts")
    .innerJoin("networks", "networks.id", "hosts.network_id")
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom("host_credentials")
          .select(["certificate", "config", "config_hash", "sent_hash", "nebula_version"])
          .whereRef("host_credentials.host_id", "=", "hosts.id")
          .orderBy("counter")
          .limit(1)
          .as("used"),
      (join) => join.onTrue(),
    )
    .leftJoin("host_certificates as certificate", "certificate.fingerprint", "used.certificate")
    .leftJoin("host_reports as report", "report.host_id", "hosts.id")
    .select([
      ...COMPILED_HOST_COLUMNS,
      "hosts.network_id",
      "networks.revision",
      "hosts.is_drifted",
      "used.config as sent_config",
      "used.config_hash as sent_config_hash",
      "used.sent_hash",
      "used.nebula_version as sent_nebula_version",
      "certificate.fingerprint",
      "certificate.ca_id",
      "certificate.groups",
      "certificate.not_before",
      "certificate.not_after",
      "report.config_hash as reported_hash",
      "report.nebula_version",
      "report.applied_at",
      "report.reported_at",
      "report.error",
      "report.tunnels",
      "report.system",
    ])
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.id", "=", id)
    .executeTakeFirst();
}

export type HostStateRow = NonNullable<Awaited<ReturnType<typeof findHostState>>>;

/** The hosts with these addresses, by address. */
export async function findHostsAt(
  db: Reader,
  networkID: string,
  addresses: readonly string[],
): Promise<Map<string, { id: string; name: string }>> {
  if (addresses.length === 0) return new Map();
  const rows = await db
    .selectFrom("hosts")
    .select(["id", "name", "ip_address", "ipv6_address"])
    .where("network_id", "=", networkID)
    .where(hasAddress(addresses))
    .execute();
  return new Map(
    rows.flatMap(({ id, name, ...row }) =>
      addressesOf(row).map((address) => [address, { id, name }] as const),
    ),
  );
}

const PEERS_READ_MAX = 25;
const ENDPOINTS_MAX = 10;

/** The addresses to which these hosts send packets for a host, the most recently reported first. */
export async function findEndpoints(
  db: Reader,
  peerIDs: readonly string[],
  vpnIps: readonly string[],
): Promise<string[]> {
  if (peerIDs.length === 0) return [];
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom("host_reports")
        .select([
          "reported_at",
          sql<string | null>`jsonb_path_query_first(tunnels, '$[*] ? (@.vpnIp == $vpnIps[*]).remoteAddress',
            jsonb_build_object('vpnIps', to_jsonb(${vpnIps}::text[]))) #>> '{}'`.as("endpoint"),
        ])
        .where("host_id", "in", peerIDs.slice(0, PEERS_READ_MAX))
        .as("seen"),
    )
    .select("endpoint")
    .where("endpoint", "is not", null)
    .groupBy("endpoint")
    .orderBy((eb) => eb.fn.max("reported_at"), "desc")
    .orderBy("endpoint")
    .limit(ENDPOINTS_MAX)
    .execute();
  return rows.flatMap(({ endpoint }) => endpoint ?? []);
}

export type Names = ReadonlyMap<string, string>;

/** The names of all roles and routes of the organization, of which there are few, by ID. */
export async function findNames(db: Reader, organizationID: string): Promise<Names> {
  const rows = await db
    .selectFrom("roles")
    .select(["id", "name"])
    .where("organization_id", "=", organizationID)
    .unionAll((eb) =>
      eb.selectFrom("routes").select(["id", "name"]).where("organization_id", "=", organizationID),
    )
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
