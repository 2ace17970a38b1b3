/** Which hosts are online, when each was last seen, and whether each is in sync. */
import { sql } from "kysely";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { lockNetworksOfHostsForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { createBatchPerKey } from "../../infrastructure/scheduling/batch.ts";
import { CLOCK_SKEW_MS_MAX } from "../../infrastructure/time/clock.ts";
import { MINUTE_MS, SECOND_MS } from "../../infrastructure/time/durations.ts";
import { MOBILE_AGENT_NAME } from "./host-filters.ts";

export const OFFLINE_AFTER_MS = 90 * SECOND_MS;
/** Phones sleep, so they call less often. */
export const MOBILE_OFFLINE_AFTER_MS = 20 * MINUTE_MS;
const SWEEP_SIZE = 1000;
/** Above this number of changed hosts, consoles are notified by network. */
const ANNOUNCED_HOSTS_MAX = 20;

export interface SeenHost {
  id: string;
  networkID: string;
  agentName: string;
  agentVersion: string | null;
  seenAt: Date;
}

interface ChangedHost {
  id: string;
  networkID: string;
  organizationID: string;
}

export async function recordLastSeen(db: UnauditedWriter, hosts: readonly SeenHost[]): Promise<void> {
  const ids = hosts.map(({ id }) => id);
  const times = hosts.map(({ seenAt }) => seenAt);
  await sql`
    update host_presence set last_seen_at = seen.at
      from unnest(${ids}::text[], ${times}::timestamptz[]) seen (id, at)
      where host_id = seen.id and (last_seen_at < seen.at
        or last_seen_at > seen.at + make_interval(secs => ${CLOCK_SKEW_MS_MAX / SECOND_MS}))`.execute(db);
}

/** After the clock was set back, a time in the future counts as now. */
export async function correctFuturePresence({ unaudited, clock }: Context): Promise<void> {
  const now = clock();
  const latest = new Date(now.getTime() + CLOCK_SKEW_MS_MAX);
  await sql`
    update host_presence set last_seen_at = ${now} where last_seen_at > ${latest}`.execute(unaudited);
}

export async function recordOnline(db: UnauditedWriter, hosts: readonly SeenHost[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockNetworksOfHostsForNoKeyUpdate(
      tx,
      hosts.map(({ networkID }) => networkID),
    );
    const ids = hosts.map(({ id }) => id);
    const names = hosts.map(({ agentName }) => agentName);
    const versions = hosts.map(({ agentVersion }) => agentVersion);
    const { rows } = await sql<ChangedHost>`
      update hosts set is_online = true, agent_name = seen.name, agent_version = seen.version
        from unnest(${ids}::text[], ${names}::text[], ${versions}::text[]) seen (id, name, version)
        where hosts.id = seen.id and is_enrolled and not is_blocked
          and (is_online, agent_name, agent_version) is distinct from (true, seen.name, seen.version)
        returning hosts.id, network_id as "networkID", organization_id as "organizationID"`.execute(tx);
    await announceHosts(tx, rows);
  });
}

async function announceHosts(db: UnauditedWriter, hosts: readonly ChangedHost[]): Promise<void> {
  if (hosts.length === 0) return;
  const byHost = hosts.map((host): OrganizationChange => ({ noun: "hosts", ...host }));
  const byNetwork = new Map(
    hosts.map(({ networkID, organizationID }) => [networkID, { noun: "hosts", networkID, organizationID }]),
  );
  await announce(db, ...(hosts.length > ANNOUNCED_HOSTS_MAX ? byNetwork.values() : byHost));
}

/** Marks hosts that have not called for too long as offline; returns their number. */
export async function sweepPresence({ unaudited, clock }: Context): Promise<number> {
  const now = clock().getTime();
  const isSilent = sql`last_seen_at < case when agent_name = ${MOBILE_AGENT_NAME}
    then ${new Date(now - MOBILE_OFFLINE_AFTER_MS)}::timestamptz
    else ${new Date(now - OFFLINE_AFTER_MS)}::timestamptz end`;
  const { rows } = await sql<ChangedHost>`
    select hosts.id, hosts.network_id as "networkID" from hosts
      join host_presence on host_id = hosts.id
      where is_online and ${isSilent} limit ${sql.lit(SWEEP_SIZE)}`.execute(unaudited);
  if (rows.length === 0) return 0;
  return unaudited.transaction().execute(async (tx) => {
    await lockNetworksOfHostsForNoKeyUpdate(
      tx,
      rows.map(({ networkID }) => networkID),
    );
    const offline = await sql<ChangedHost>`
      update hosts set is_online = false from host_presence
        where hosts.id = any(${rows.map(({ id }) => id)}::text[]) and host_id = hosts.id
          and is_online and ${isSilent}
        returning hosts.id, hosts.network_id as "networkID", hosts.organization_id as "organizationID"`.execute(
      tx,
    );
    await announceHosts(tx, offline.rows);
    return offline.rows.length;
  });
}

interface DriftOfHost extends ChangedHost {
  /** Whether the host runs another configuration than it should. */
  isDrifted: boolean;
}

const DRIFTS_MAX = 500;

/** Hosts of a network that report at the same time, as after a change of their role, lock it once. */
export const createDriftRecorder = (db: UnauditedWriter) =>
  createBatchPerKey<DriftOfHost, void>(({ networkID }) => networkID, {
    keyOf: ({ id }) => id,
    max: DRIFTS_MAX,
    work: async (hosts) => {
      await recordDrifts(db, hosts);
      return hosts.map(() => undefined);
    },
  });

async function recordDrifts(db: UnauditedWriter, hosts: readonly DriftOfHost[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockNetworksOfHostsForNoKeyUpdate(tx, [...new Set(hosts.map(({ networkID }) => networkID))]);
    const ids = hosts.map(({ id }) => id);
    const drifts = hosts.map(({ isDrifted }) => isDrifted);
    const { rows } = await sql<ChangedHost>`
      update hosts set is_drifted = reported.is_drifted
        from unnest(${ids}::text[], ${drifts}::boolean[]) reported (id, is_drifted)
        where hosts.id = reported.id and not is_blocked and hosts.is_drifted <> reported.is_drifted
        returning hosts.id, network_id as "networkID", organization_id as "organizationID"`.execute(tx);
    await announceHosts(tx, rows);
  });
}
