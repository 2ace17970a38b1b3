/**
 * Who is there. Every call of a host is heard; what is written of it is little: when it was last seen, every
 * 15 seconds and many hosts at once, and the moments it comes and goes, of which consoles are told.
 */
import { sql } from "kysely";
import { CLOCK_SKEW_MS_MAX, createStepDetector } from "../../infrastructure/time/clock.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { lockNetworksOfHostsForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { MOBILE_AGENT_NAME } from "../../nouns/hosts/host-filters.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import type { CallingHost } from "./calling-hosts.service.ts";
import type { Client } from "./user-agent.ts";

const WRITE_EVERY_MS = 15_000;
const OFFLINE_AFTER_MS = 90_000;
/** Phones sleep. */
const MOBILE_OFFLINE_AFTER_MS = 20 * 60_000;
const IDLE_MS = 60_000;
/** Of more hosts than this that come or go at once, consoles are told by network. */
const NAMED_MAX = 20;

export interface Presence {
  heard(host: CallingHost, client: Client, at: Date): void;
  /** Writes down what was heard. */
  worker: Worker;
}

interface Heard {
  host: CallingHost;
  client: Client;
  at: Date;
}

const isTransition = ({ host: { presence }, client }: Heard) =>
  !presence.isOnline || presence.agentName !== client.name || presence.agentVersion !== client.version;

/** A time in the future was written before the clock was set back. */
const isDue = ({ host: { presence }, at }: Heard) =>
  typeof presence.lastSeenAt === "number" ||
  Math.abs(at.getTime() - presence.lastSeenAt.getTime()) >= WRITE_EVERY_MS;

export function createPresence(ctx: Context): Presence {
  let waiting = new Map<string, Heard>();
  const worker = createWorker({
    pollMs: IDLE_MS,
    work: async () => {
      const batch = [...waiting.values()];
      waiting = new Map();
      if (batch.length === 0) return;
      await writeSeen(ctx.unaudited, batch);
      const transitions = batch.filter(isTransition);
      if (transitions.length > 0) await writeTransitions(ctx.unaudited, transitions);
    },
    onError: (error) => ctx.log.warn({ err: error }, "could not note which hosts were heard"),
  });
  return {
    heard(host, client, at) {
      const heard = { host, client, at };
      if (!isTransition(heard) && !isDue(heard)) return;
      waiting.set(host.id, heard);
      worker.wake();
    },
    worker,
  };
}

async function writeSeen(db: UnauditedWriter, batch: Heard[]): Promise<void> {
  const ids = batch.map(({ host }) => host.id);
  const times = batch.map(({ at }) => at);
  await sql`
    update host_presence set last_seen_at = seen.at
      from unnest(${ids}::text[], ${times}::timestamptz[]) seen (id, at)
      where host_id = seen.id and (last_seen_at < seen.at
        or last_seen_at > seen.at + make_interval(secs => ${CLOCK_SKEW_MS_MAX / 1000}))`.execute(db);
}

/** Hosts seen before the clock was set back were seen now, as far as anyone can tell. */
export async function correctFuturePresence({ unaudited, clock }: Context): Promise<void> {
  const now = clock();
  const skewed = new Date(now.getTime() + CLOCK_SKEW_MS_MAX);
  await sql`
    update host_presence set last_seen_at = ${now} where last_seen_at > ${skewed}`.execute(unaudited);
}

interface Moved {
  id: string;
  networkID: string;
  organizationID: string;
}

async function writeTransitions(db: UnauditedWriter, heard: Heard[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockNetworksOfHostsForNoKeyUpdate(
      tx,
      heard.map(({ host }) => host.networkID),
    );
    const ids = heard.map(({ host }) => host.id);
    const names = heard.map(({ client }) => client.name);
    const versions = heard.map(({ client }) => client.version);
    const { rows } = await sql<Moved>`
      update hosts set is_online = true, agent_name = heard.name, agent_version = heard.version
        from unnest(${ids}::text[], ${names}::text[], ${versions}::text[]) heard (id, name, version)
        where hosts.id = heard.id and is_enrolled and not is_blocked
          and (is_online, agent_name, agent_version) is distinct from (true, heard.name, heard.version)
        returning hosts.id, network_id as "networkID", organization_id as "organizationID"`.execute(tx);
    await announceMoved(tx, rows);
  });
}

async function announceMoved(db: UnauditedWriter, moved: Moved[]): Promise<void> {
  if (moved.length === 0) return;
  const ofHosts = moved.map((one): OrganizationChange => ({ noun: "hosts", ...one }));
  const ofNetworks = new Map(
    moved.map(({ networkID, organizationID }) => [networkID, { noun: "hosts", networkID, organizationID }]),
  );
  await announce(db, ...(moved.length > NAMED_MAX ? ofNetworks.values() : ofHosts));
}

/** Those that have not been heard for too long are offline; how many that were. */
export async function sweepPresence({ unaudited, clock }: Context): Promise<number> {
  const now = clock().getTime();
  const silent = sql`last_seen_at < case when agent_name = ${MOBILE_AGENT_NAME}
    then ${new Date(now - MOBILE_OFFLINE_AFTER_MS)}::timestamptz
    else ${new Date(now - OFFLINE_AFTER_MS)}::timestamptz end`;
  const { rows } = await sql<Moved>`
    select hosts.id, hosts.network_id as "networkID" from hosts
      join host_presence on host_id = hosts.id where is_online and ${silent} limit 1000`.execute(unaudited);
  if (rows.length === 0) return 0;
  return unaudited.transaction().execute(async (tx) => {
    await lockNetworksOfHostsForNoKeyUpdate(
      tx,
      rows.map(({ networkID }) => networkID),
    );
    const gone = await sql<Moved>`
      update hosts set is_online = false from host_presence
        where hosts.id = any(${rows.map(({ id }) => id)}::text[]) and host_id = hosts.id
          and is_online and ${silent}
        returning hosts.id, hosts.network_id as "networkID", hosts.organization_id as "organizationID"`.execute(
      tx,
    );
    await announceMoved(tx, gone.rows);
    return gone.rows.length;
  });
}

/** Sweeps until nothing is left, and lets hosts report again before it sweeps after the clock was set. */
export function createPresenceSweep(ctx: Context): () => Promise<void> {
  const detectStep = createStepDetector(ctx.clock);
  let needsCorrection = true;
  let resumesAt = 0;
  return async () => {
    const stepMs = detectStep();
    if (stepMs < 0) needsCorrection = true;
    if (stepMs > 0) resumesAt = performance.now() + OFFLINE_AFTER_MS;
    if (needsCorrection) await correctFuturePresence(ctx);
    needsCorrection = false;
    if (performance.now() < resumesAt) return;
    while ((await sweepPresence(ctx)) > 0);
  };
}

/** A host runs something else than it should, or no longer does. */
export async function writeDrift(
  db: UnauditedWriter,
  { id, networkID, organizationID }: CallingHost,
  isDrifted: boolean,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockNetworksOfHostsForNoKeyUpdate(tx, [networkID]);
    const { numUpdatedRows } = await tx
      .updateTable("hosts")
      .set({ is_drifted: isDrifted })
      .where("id", "=", id)
      .where("is_blocked", "=", false)
      .where("is_drifted", "!=", isDrifted)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) await announce(tx, { noun: "hosts", id, networkID, organizationID });
  });
}
