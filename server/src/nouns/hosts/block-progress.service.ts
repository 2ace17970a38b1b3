/** Which hosts have acknowledged the block of a host. */
import { type BlockProgress, type WaitingHost, WAITING_HOSTS_MAX } from "@lightkeeper/contract";
import { type Selectable, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { addressesOf, type HostAddresses } from "./host-addresses.ts";

export interface FindBlockProgress {
  organizationID: string;
  hostID: string;
  now: Date;
}

type BlockRow = Pick<
  Selectable<Tables["host_blocks"]>,
  "network_id" | "revision" | "host_count" | "peer_ids" | "completed_at" | "half_acknowledged_at"
> &
  HostAddresses & { blocked_at: Date };

/** Undefined if the host doesn't exist, null if it has no block that others acknowledge. */
export async function findBlockProgress(
  db: Reader,
  { organizationID, hostID, now }: FindBlockProgress,
): Promise<BlockProgress | null | undefined> {
  const row = await findBlock(db, organizationID, hostID);
  if (!row) return undefined;
  const { blocked_at, revision, network_id, host_count, peer_ids } = row;
  if (
    blocked_at === null ||
    revision === null ||
    network_id === null ||
    host_count === null ||
    peer_ids === null
  )
    return null;
  const block = { ...row, blocked_at, revision, network_id, host_count, peer_ids };
  const openIDs = await listOpenTunnels(db, block);
  const { waiting, waitingCount } = await listWaiting(db, block, openIDs, now);
  return {
    hostID,
    blockedAt: blocked_at.toISOString(),
    hostCount: host_count,
    acknowledgedCount: Math.max(0, host_count - waitingCount),
    medianDelayMs: row.half_acknowledged_at && row.half_acknowledged_at.getTime() - blocked_at.getTime(),
    tunnelCount: peer_ids.length,
    closedTunnelCount: peer_ids.length - openIDs.length,
    completedAt: row.completed_at?.toISOString() ?? null,
    waitingCount,
    waiting,
  };
}

const findBlock = (db: Reader, organizationID: string, hostID: string) =>
  db
    .selectFrom("hosts")
    .leftJoin("host_blocks as block", "block.host_id", "hosts.id")
    .select([
      "hosts.ip_address",
      "hosts.ipv6_address",
      "block.network_id",
      "block.revision",
      "block.blocked_at",
      "block.host_count",
      "block.peer_ids",
      "block.half_acknowledged_at",
      "block.completed_at",
    ])
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.id", "=", hostID)
    .executeTakeFirst();

/** The peers that still report a tunnel to the blocked host. */
async function listOpenTunnels(db: Reader, { peer_ids, ...block }: BlockRow): Promise<string[]> {
  if (peer_ids.length === 0) return [];
  const rows = await db
    .selectFrom("host_reports")
    .select("host_id")
    .where("host_id", "in", peer_ids)
    .where(
      sql<boolean>`jsonb_path_exists(tunnels, '$[*] ? (@.vpnIp == $vpnIps[*])',
        jsonb_build_object('vpnIps', to_jsonb(${addressesOf(block)}::text[])))`,
    )
    .execute();
  return rows.map(({ host_id }) => host_id);
}

async function listWaiting(db: Reader, block: BlockRow, openIDs: readonly string[], now: Date) {
  if (block.completed_at) return { waiting: [], waitingCount: 0 };
  const rows = await db
    .selectFrom("host_revisions")
    .innerJoin("hosts", "hosts.id", "host_revisions.host_id")
    .innerJoin("host_presence", "host_presence.host_id", "hosts.id")
    .select([
      "hosts.id",
      "hosts.name",
      "hosts.is_online",
      "hosts.is_drifted",
      sql<Date | number>`least(host_presence.last_seen_at, ${now})`.as("last_seen_at"),
      sql<boolean>`hosts.id = any(${openIDs}::text[])`.as("has_tunnel"),
      sql<number>`count(*) over ()`.as("count"),
    ])
    .where("host_revisions.network_id", "=", block.network_id)
    .where("host_revisions.revision", "<", block.revision)
    .where("hosts.certificate_expires_at", ">", now)
    .orderBy("has_tunnel", "desc")
    .orderBy("hosts.is_online", "desc")
    .orderBy("hosts.name_key")
    .limit(WAITING_HOSTS_MAX)
    .execute();
  const waiting = rows.map(({ id, name, is_online, is_drifted, has_tunnel, last_seen_at }): WaitingHost => ({
    hostID: id,
    hostName: name,
    isOnline: is_online,
    lastSeenAt: last_seen_at instanceof Date ? last_seen_at.toISOString() : null,
    hasTunnel: has_tunnel,
    isDrifted: is_drifted,
  }));
  return { waiting, waitingCount: rows[0]?.count ?? 0 };
}
