/**
 * Everything that configurations in a network have in common, read in one statement, so that it is consistent. The
 * size doesn't depend on the number of hosts: a snapshot contains only lighthouses, relays and routers.
 */
import type { ConfigOverrides, FirewallRule, RouteFirewallRule } from "@lightkeeper/contract";
import type { Curve } from "@lightkeeper/nebula";
import { type ExpressionBuilder, sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";
import type { Issuer } from "../../nouns/certificates/certificates.service.ts";
import { addressesOf } from "../../nouns/hosts/host-addresses.ts";
import { cidrsOf } from "../../nouns/networks/network-cidrs.ts";

export interface Peer {
  /** IPv4 first. */
  addresses: string[];
  staticAddresses: string[];
}

export interface SnapshotTag {
  priority: number;
  configOverrides: ConfigOverrides;
  firewallRules: FirewallRule[];
  /** The routes that hosts with the tag use. */
  routeIDs: string[];
}

export interface SnapshotRoute {
  id: string;
  routerHostID: string;
  routerAddresses: string[];
  routableCIDRs: Record<string, { install: boolean }>;
  firewallRules: RouteFirewallRule[];
  acceptWiderRules: boolean;
}

export interface SnapshotUpgrade {
  isReverting: boolean;
  /** Signs the second certificates of hosts; undefined in steps in which they have none. */
  secondIssuer: Issuer | undefined;
  /** The version with which hosts start tunnels; undefined means the default. */
  initiatingVersion: 2 | undefined;
}

export interface Snapshot {
  networkID: string;
  organizationID: string;
  organizationName: string;
  networkName: string;
  /** IPv4 first. */
  cidrs: string[];
  curve: Curve;
  certVersion: 1 | 2;
  revision: number;
  /** The day of the read: certificates that expired before are not on the blocklist. */
  day: number;
  lighthousesAsRelays: boolean;
  /** The PEM of every trusted CA. */
  trustedCas: string[];
  issuer: Issuer;
  /** The upgrade to version 2 certificates that is in progress. */
  upgrade: SnapshotUpgrade | null;
  lighthouses: Peer[];
  relays: Peer[];
  /** Fingerprints of revoked certificates, except those of CAs that are no longer trusted. */
  blocklist: string[];
  /** Fingerprints of the same certificates with their other valid signature; none unless the curve is P256. */
  otherBlocklist: string[];
  roles: ReadonlyMap<string, FirewallRule[]>;
  tags: ReadonlyMap<string, SnapshotTag>;
  routes: SnapshotRoute[];
}

export const dayOf = (now: Date) => Math.floor(now.getTime() / DAY_MS);

type NetworkExpression = ExpressionBuilder<Tables, "networks" | "organizations">;

const trustedCas = (eb: NetworkExpression) =>
  jsonArrayFrom(
    eb
      .selectFrom("certificate_authorities")
      .select(["id", "certificate", "fingerprint", "cert_version", "not_before", "not_after"])
      .whereRef("network_id", "=", "networks.id")
      .where("state", "!=", "RETIRED"),
  );

const lighthousesAndRelays = (eb: NetworkExpression) =>
  jsonArrayFrom(
    eb
      .selectFrom("hosts")
      .select(["ip_address", "ipv6_address", "static_addresses", "is_lighthouse"])
      .whereRef("network_id", "=", "networks.id")
      .whereRef("organization_id", "=", "networks.organization_id")
      .where((host) => host.or([host("is_lighthouse", "=", true), host("is_relay", "=", true)]))
      .where("is_blocked", "=", false),
  );

const blocklist = (first: string, second: string, now: Date) => sql<string[]>`array(
  select blocked.fingerprint from host_certificates
    cross join lateral (values
      (${sql.ref(`host_certificates.${first}`)}, host_certificates.ca_id),
      (${sql.ref(`host_certificates.${second}`)}, host_certificates.second_ca_id)
    ) blocked (fingerprint, ca_id)
  where network_id = networks.id and revoked_at is not null
    and not_after > ${new Date(dayOf(now) * DAY_MS)}
    and blocked.fingerprint is not null
    and blocked.ca_id in (select id from certificate_authorities
      where network_id = networks.id and state <> 'RETIRED')
  order by 1)`;

const roles = (eb: NetworkExpression) =>
  jsonArrayFrom(
    eb
      .selectFrom("roles")
      .select(["id", "firewall_rules"])
      .whereRef("organization_id", "=", "networks.organization_id"),
  );

const tags = (eb: NetworkExpression) =>
  jsonArrayFrom(
    eb
      .selectFrom("tags")
      .select([
        "name",
        "priority",
        "config_overrides",
        "firewall_rules",
        sql<string[]>`array(
          select route_id from route_subscriptions subscribed
          where subscribed.organization_id = tags.organization_id and subscribed.tag = tags.name
          order by route_id)`.as("route_ids"),
      ])
      .whereRef("organization_id", "=", "networks.organization_id"),
  );

const routes = (eb: NetworkExpression) =>
  jsonArrayFrom(
    eb
      .selectFrom("routes")
      .innerJoin("hosts as router", "router.id", "routes.router_host_id")
      .select([
        "routes.id",
        "router.id as router_id",
        "router.ip_address",
        "router.ipv6_address",
        "routes.routable_cidrs",
        "routes.firewall_rules",
        "routes.accept_wider_rules",
      ])
      .whereRef("routes.organization_id", "=", "networks.organization_id")
      .whereRef("router.network_id", "=", "networks.id")
      .orderBy("routes.id"),
  );

const readNetwork = (db: Reader, networkID: string, now: Date) =>
  db
    .selectFrom("networks")
    .innerJoin("organizations", "organizations.id", "networks.organization_id")
    .leftJoin("network_upgrades as upgrade", "upgrade.network_id", "networks.id")
    .select((eb) => [
      "networks.id",
      "networks.organization_id",
      "organizations.name as organization_name",
      "networks.name",
      "networks.cidr",
      "networks.ipv6_cidr",
      "networks.curve",
      "networks.cert_version",
      "networks.revision",
      "networks.lighthouses_as_relays",
      "networks.signing_ca_id",
      "upgrade.step as upgrade_step",
      "upgrade.is_reverting",
      "upgrade.new_ca_id",
      trustedCas(eb).as("cas"),
      lighthousesAndRelays(eb).as("peers"),
      blocklist("fingerprint", "second_fingerprint", now).as("blocklist"),
      blocklist("other_fingerprint", "other_second_fingerprint", now).as("other_blocklist"),
      roles(eb).as("roles"),
      tags(eb).as("tags"),
      routes(eb).as("routes"),
    ])
    .where("networks.id", "=", networkID)
    .executeTakeFirst();

type NetworkRow = NonNullable<Awaited<ReturnType<typeof readNetwork>>>;

const toTags = (row: NetworkRow): Snapshot["tags"] =>
  new Map(
    row.tags.map((tag) => [
      tag.name,
      {
        priority: tag.priority,
        configOverrides: tag.config_overrides,
        firewallRules: tag.firewall_rules,
        routeIDs: tag.route_ids,
      },
    ]),
  );

const toRoute = (route: NetworkRow["routes"][number]): SnapshotRoute => ({
  id: route.id,
  routerHostID: route.router_id,
  routerAddresses: addressesOf(route),
  routableCIDRs: route.routable_cidrs,
  firewallRules: route.firewall_rules,
  acceptWiderRules: route.accept_wider_rules,
});

function findIssuer({ cas }: NetworkRow, caID: string): Issuer | undefined {
  const ca = cas.find(({ id }) => id === caID);
  return (
    ca && {
      id: ca.id,
      fingerprint: ca.fingerprint,
      certVersion: ca.cert_version,
      notBefore: new Date(ca.not_before),
      notAfter: new Date(ca.not_after),
    }
  );
}

/** The last step replaces the issuer itself. */
function toUpgrade(row: NetworkRow): SnapshotUpgrade | null {
  const { upgrade_step: step, new_ca_id } = row;
  if (step === null || step === "DONE") return null;
  const hasTwo = step === "BOTH" || step === "INITIATE";
  return {
    isReverting: row.is_reverting === true,
    secondIssuer: hasTwo && new_ca_id !== null ? findIssuer(row, new_ca_id) : undefined,
    initiatingVersion: step === "INITIATE" ? 2 : undefined,
  };
}

/** Undefined if the network was deleted. */
export async function readSnapshot(db: Reader, networkID: string, now: Date): Promise<Snapshot | undefined> {
  const row = await readNetwork(db, networkID, now);
  if (!row) return undefined;
  const issuer = findIssuer(row, row.signing_ca_id);
  if (!issuer) throw new Error(`${networkID} has no CA that signs`);
  const peers = (isLighthouse: boolean) =>
    row.peers
      .filter(({ is_lighthouse }) => is_lighthouse === isLighthouse)
      .map((peer) => ({ addresses: addressesOf(peer), staticAddresses: peer.static_addresses }));
  return {
    networkID: row.id,
    organizationID: row.organization_id,
    organizationName: row.organization_name,
    networkName: row.name,
    cidrs: cidrsOf(row),
    curve: row.curve,
    certVersion: row.cert_version,
    revision: row.revision,
    day: dayOf(now),
    lighthousesAsRelays: row.lighthouses_as_relays,
    trustedCas: row.cas.map(({ certificate }) => certificate).toSorted(),
    issuer,
    upgrade: toUpgrade(row),
    lighthouses: peers(true),
    relays: peers(false),
    blocklist: row.blocklist,
    otherBlocklist: row.other_blocklist,
    roles: new Map(row.roles.map(({ id, firewall_rules }) => [id, firewall_rules])),
    tags: toTags(row),
    routes: row.routes.map(toRoute),
  };
}
