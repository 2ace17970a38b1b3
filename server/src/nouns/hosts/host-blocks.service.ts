/** Records the blocks of hosts, and when the other hosts of the network have acknowledged them. */
import { parseIp } from "@lightkeeper/nebula";
import { sql } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";
import { addressesOf, hasAddress } from "./host-addresses.ts";
import type { HostRow } from "./hosts.queries.ts";

const PEERS_MAX = 1000;
/** Lighthouses and relays whose reports are searched for tunnels of hosts that report none. */
const HUBS_MAX = 20;

/** Call before the access of the hosts is revoked. Hosts without a certificate have no block that others acknowledge. */
export async function insertBlocks(
  tx: Writer,
  { rows, now }: { rows: readonly HostRow[]; now: Date },
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  const enrolled = await tx
    .selectFrom("host_revisions")
    .innerJoin("networks", "networks.id", "host_revisions.network_id")
    .select(["host_revisions.host_id", "networks.revision"])
    .where("host_revisions.host_id", "in", ids)
    .execute();
  if (enrolled.length === 0) return;
  const revisions = new Map(enrolled.map(({ host_id, revision }) => [host_id, revision]));
  const blocked = rows.filter(({ id }) => revisions.has(id));
  const counts = await countOtherHosts(tx, blocked, now);
  const peers = await findPeers(tx, blocked);
  await tx
    .insertInto("host_blocks")
    .values(
      blocked.map(({ id, organization_id, network_id }) => ({
        host_id: id,
        organization_id,
        network_id,
        revision: revisions.get(id) ?? 0,
        blocked_at: now,
        host_count: counts.get(network_id) ?? 0,
        peer_ids: peers.get(id) ?? [],
        half_acknowledged_at: null,
        completed_at: counts.has(network_id) ? null : now,
      })),
    )
    .execute();
}

/** The number of other hosts with a valid certificate in each network that has any. */
async function countOtherHosts(
  tx: Writer,
  blocked: readonly HostRow[],
  now: Date,
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom("host_revisions")
    .innerJoin("hosts", "hosts.id", "host_revisions.host_id")
    .select((eb) => ["host_revisions.network_id", eb.fn.countAll<number>().as("count")])
    .where(
      "host_revisions.network_id",
      "in",
      blocked.map(({ network_id }) => network_id),
    )
    .where("hosts.certificate_expires_at", ">", now)
    .where(
      "hosts.id",
      "not in",
      blocked.map(({ id }) => id),
    )
    .groupBy("host_revisions.network_id")
    .execute();
  return new Map(rows.map(({ network_id, count }) => [network_id, count]));
}

/** The hosts with a tunnel to each blocked host, as it reported them, or as lighthouses and relays did. */
async function findPeers(tx: Writer, blocked: readonly HostRow[]): Promise<Map<string, string[]>> {
  const reported = await listReportedAddresses(
    tx,
    blocked.map(({ id }) => id),
  );
  const networkIDs = [...new Set(blocked.map(({ network_id }) => network_id))];
  const hubs = await listHubs(tx, networkIDs);
  const hosts = await listHostsAt(tx, networkIDs, [...reported.values()].flat());
  const blockedIDs = new Set(blocked.map(({ id }) => id));
  return new Map(
    blocked.map(({ id, network_id, ...row }) => {
      const peers = (reported.get(id) ?? []).flatMap(
        (address) => hosts.get(`${network_id} ${address}`) ?? [],
      );
      const hubIDs = hubs
        .filter(
          (hub) =>
            hub.network_id === network_id &&
            addressesOf(row).some((address) => hub.addresses.includes(address)),
        )
        .map((hub) => hub.id);
      const distinct = [...new Set([...peers, ...hubIDs])].filter((peerID) => !blockedIDs.has(peerID));
      return [id, distinct.slice(0, PEERS_MAX)];
    }),
  );
}

const TUNNEL_ADDRESSES = sql<string[]>`jsonb_path_query_array(tunnels, '$[*].vpnIp')`.as("addresses");

async function listReportedAddresses(tx: Writer, hostIDs: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await tx
    .selectFrom("host_reports")
    .select(["host_id", TUNNEL_ADDRESSES])
    .where("host_id", "in", hostIDs)
    .execute();
  return new Map(
    rows.map(({ host_id, addresses }) => [host_id, addresses.filter((address) => parseIp(address))]),
  );
}

const listHubs = (tx: Writer, networkIDs: readonly string[]) =>
  tx
    .selectFrom("hosts")
    .innerJoin("host_reports", "host_reports.host_id", "hosts.id")
    .select(["hosts.id", "hosts.network_id", TUNNEL_ADDRESSES])
    .where("hosts.network_id", "in", networkIDs)
    .where((eb) => eb.or([eb("hosts.is_lighthouse", "=", true), eb("hosts.is_relay", "=", true)]))
    .limit(HUBS_MAX)
    .execute();

/** IDs by network and address. */
async function listHostsAt(
  tx: Writer,
  networkIDs: readonly string[],
  addresses: readonly string[],
): Promise<Map<string, string>> {
  if (addresses.length === 0) return new Map();
  const rows = await tx
    .selectFrom("hosts")
    .select(["id", "network_id", "ip_address", "ipv6_address"])
    .where("network_id", "in", networkIDs)
    .where(hasAddress(addresses))
    .where("is_blocked", "=", false)
    .execute();
  return new Map(
    rows.flatMap(({ id, network_id, ...row }) =>
      addressesOf(row).map((address) => [`${network_id} ${address}`, id] as const),
    ),
  );
}

export async function deleteBlocks(tx: Writer, hostIDs: readonly string[]): Promise<void> {
  await tx.deleteFrom("host_blocks").where("host_id", "in", hostIDs).execute();
}

/** Blocks younger than this are checked every second, older ones every minute. */
export const YOUNG_BLOCK_MS = 10 * MINUTE_MS;

/** Records when half of the hosts and when all hosts have acknowledged the blocks since this time. */
export async function recordAcknowledgments(ctx: Context, since: Date): Promise<void> {
  const now = ctx.clock();
  await recordHalf(ctx.unaudited, since, now);
  const networks = await recordCompleted(ctx.unaudited, since, now);
  for (const [networkID, organizationID] of networks)
    await announce(ctx.unaudited, { noun: "hosts", networkID, organizationID });
}

/** Hosts that may still run a configuration without the change. A host with an expired certificate can't connect. */
const waitingFor = (now: Date) => sql`
  from host_revisions join hosts on hosts.id = host_revisions.host_id
    where host_revisions.network_id = changes.network_id
      and host_revisions.revision < changes.revision and hosts.certificate_expires_at > ${now}`;

/** Hosts that are blocked together share a revision, for which the other hosts are counted once. */
async function recordHalf(db: UnauditedWriter, since: Date, now: Date): Promise<void> {
  await sql`
    with changes as (
      select distinct network_id, revision, host_count, blocked_at from host_blocks
        where completed_at is null and half_acknowledged_at is null and blocked_at >= ${since}),
    halves as (
      select network_id, revision, blocked_at, (
          select reached_at from host_revisions
            where host_revisions.network_id = changes.network_id
              and host_revisions.revision >= changes.revision and reached_at >= changes.blocked_at
            order by reached_at offset (changes.host_count - 1) / 2 limit 1) as reached_at
        from changes where 2 * (select count(*) ${waitingFor(now)}) <= host_count)
    update host_blocks set half_acknowledged_at = halves.reached_at from halves
      where host_blocks.network_id = halves.network_id and host_blocks.revision = halves.revision
        and host_blocks.blocked_at = halves.blocked_at and host_blocks.half_acknowledged_at is null
        and halves.reached_at is not null`.execute(db);
}

/** Returns the organizations of the networks with completed blocks, by network. */
async function recordCompleted(db: UnauditedWriter, since: Date, now: Date): Promise<Map<string, string>> {
  const { rows } = await sql<{ organization_id: string; network_id: string }>`
    with changes as (
      select distinct network_id, revision from host_blocks
        where completed_at is null and blocked_at >= ${since}),
    completed as (
      select network_id, revision from changes where not exists (select ${waitingFor(now)}))
    update host_blocks set completed_at = ${now} from completed
      where host_blocks.network_id = completed.network_id and host_blocks.revision = completed.revision
        and host_blocks.completed_at is null
      returning host_blocks.organization_id, host_blocks.network_id`.execute(db);
  return new Map(rows.map((row) => [row.network_id, row.organization_id]));
}
