/**
 * Wakes the waiting hosts that a change can affect, whichever process made it. A change message only says which
 * networks to read; comparing two snapshots of a network finds the affected hosts. Messages that arrive meanwhile
 * are handled together afterwards.
 */
import { type CallingHost, findCallingHosts } from "../agents/calling-hosts.service.ts";
import { COMMANDS_NOUN } from "../../nouns/host-commands/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import { findDescriptor } from "../../infrastructure/nouns/noun-descriptors.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { affectedHosts } from "./affected-hosts.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Waiter, WaitingHosts } from "./waiting-hosts.ts";

const BATCH_SIZE = 500;
/** The delay after a failed read. */
const RETRY_MS = 2 * SECOND_MS;

export interface Waking extends Worker {
  /** Keeps a snapshot of the host's network to compare the next change with. */
  watch(host: CallingHost): Promise<void>;
  forget(networkID: string): void;
}

export interface WakingOptions {
  snapshots: Snapshots;
  waiting: WaitingHosts;
  /** Replies to the waiter if its host has something to do, and fails it if the host no longer exists. */
  checkForWork: (waiter: Waiter, host: CallingHost | undefined) => Promise<void>;
}

interface PendingChanges {
  hosts: Set<string>;
  networks: Set<string>;
  organizations: Set<string>;
  /** Messages were lost, so every host is checked. */
  isIncomplete: boolean;
}

const noChanges = (): PendingChanges => ({
  hosts: new Set(),
  networks: new Set(),
  organizations: new Set(),
  isIncomplete: false,
});

export function createWaking(ctx: Context, { snapshots, waiting, checkForWork }: WakingOptions): Waking {
  const lastSnapshots = new Map<string, Snapshot>();
  let pending = noChanges();

  function addChange({ noun, id, networkID, organizationID }: OrganizationChange): void {
    const wakes = noun === COMMANDS_NOUN ? "host" : findDescriptor(noun)?.wakes;
    if (wakes === "host" && id !== undefined) pending.hosts.add(id);
    if (networkID !== undefined) pending.networks.add(networkID);
    if (wakes === "organization") pending.organizations.add(organizationID);
    worker.wake();
  }

  async function work(): Promise<void> {
    const changes = pending;
    pending = noChanges();
    try {
      await checkAll(changes.isIncomplete ? new Set(waiting.all()) : await findAffected(changes));
    } catch (error) {
      pending.isIncomplete = true;
      throw error;
    }
  }

  async function findAffected({ hosts, networks, organizations }: PendingChanges): Promise<Set<Waiter>> {
    const waiters = new Set([...hosts].flatMap(waiting.ofHost));
    for (const organizationID of organizations)
      for (const networkID of waiting.networksOf(organizationID)) networks.add(networkID);
    const revisions = await revisionsOf([...networks].filter(waiting.hasNetwork));
    for (const [networkID, revision] of revisions)
      for (const waiter of await affectedIn(networkID, revision)) waiters.add(waiter);
    return waiters;
  }

  /** Omits networks that no longer exist. */
  async function revisionsOf(ids: string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await ctx.reader
      .selectFrom("networks")
      .select(["id", "revision"])
      .where("id", "in", ids)
      .execute();
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  async function affectedIn(networkID: string, revision: number): Promise<Iterable<Waiter>> {
    const before = lastSnapshots.get(networkID);
    if (before && before.revision >= revision) return [];
    const after = await snapshots.get(networkID, revision);
    if (!before || !after) return waiting.ofNetwork(networkID);
    lastSnapshots.set(networkID, after);
    return waiting.affectedIn(networkID, affectedHosts(before, after));
  }

  async function checkAll(waiters: Set<Waiter>): Promise<void> {
    const all = [...waiters];
    for (let start = 0; start < all.length; start += BATCH_SIZE) {
      const batch = all.slice(start, start + BATCH_SIZE);
      const generations = batch.map(({ call }) => ({ hostID: call.host.id, counter: call.host.counter }));
      const found = await findCallingHosts(ctx.reader, generations);
      const hosts = new Map(found.map((host) => [`${host.id} ${host.counter}`, host]));
      for (const waiter of batch) {
        const { id, counter } = waiter.call.host;
        await checkForWork(waiter, hosts.get(`${id} ${counter}`));
      }
    }
  }

  const worker = createWorker({
    pollMs: RETRY_MS,
    work,
    onError: (error) => ctx.log.warn({ err: error }, "could not wake hosts; will retry"),
  });
  const unsubscribe = ctx.changes.subscribe(addChange, () => {
    pending.isIncomplete = true;
    worker.wake();
  });

  return {
    ...worker,
    async watch({ networkID, networkRevision }) {
      if (lastSnapshots.has(networkID)) return;
      const snapshot = await snapshots.get(networkID, networkRevision);
      if (snapshot && !lastSnapshots.has(networkID)) lastSnapshots.set(networkID, snapshot);
    },
    forget: (networkID) => void lastSnapshots.delete(networkID),
    async stop() {
      unsubscribe();
      await worker.stop();
    },
  };
}
