/**
 * Wakes those of the waiting hosts that a change can touch, whichever process it was made on. What is heard
 * only says where to look; two snapshots of the network say whom it concerns, and a look at each of those what
 * there is to do. What comes while this goes on is dealt with in one go afterwards.
 */
import { type CallingHost, findCallingHosts } from "../agents/calling-hosts.service.ts";
import { COMMANDS_NOUN } from "../agents/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import { findDescriptor } from "../../infrastructure/nouns/noun-descriptors.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Snapshots } from "./snapshots.ts";
import { touchedBetween } from "./touched.ts";
import type { Waiter, WaitingHosts } from "./waiting-hosts.ts";

const HOSTS_AT_ONCE = 500;
/** After the database could not be asked. */
const RETRY_MS = 2000;

export interface Waking extends Worker {
  /** Makes sure that there is something to compare the next change with. */
  watch(host: CallingHost): Promise<void>;
  forget(networkID: string): void;
}

export interface WakingOptions {
  snapshots: Snapshots;
  waiting: WaitingHosts;
  /** Answers the waiter if there is something to do for the host as it is now, and refuses one that is gone. */
  look: (waiter: Waiter, host: CallingHost | undefined) => Promise<void>;
}

interface News {
  hosts: Set<string>;
  networks: Set<string>;
  organizations: Set<string>;
  /** Anything may have changed. */
  isVague: boolean;
}

const nothing = (): News => ({
  hosts: new Set(),
  networks: new Set(),
  organizations: new Set(),
  isVague: false,
});

export function createWaking(ctx: Context, { snapshots, waiting, look }: WakingOptions): Waking {
  const seen = new Map<string, Snapshot>();
  let news = nothing();

  function hear({ noun, id, networkID, organizationID }: OrganizationChange): void {
    const wakes = noun === COMMANDS_NOUN ? "host" : findDescriptor(noun)?.wakes;
    if (wakes === "host" && id !== undefined) news.hosts.add(id);
    if (networkID !== undefined) news.networks.add(networkID);
    if (wakes === "organization") news.organizations.add(organizationID);
    worker.wake();
  }

  async function work(): Promise<void> {
    const current = news;
    news = nothing();
    try {
      await lookAt(current.isVague ? new Set(waiting.all()) : await concerned(current));
    } catch (error) {
      news.isVague = true;
      throw error;
    }
  }

  async function concerned({ hosts, networks, organizations }: News): Promise<Set<Waiter>> {
    const waiters = new Set([...hosts].flatMap(waiting.ofHost));
    for (const organizationID of organizations)
      for (const networkID of waiting.networksOf(organizationID)) networks.add(networkID);
    const revisions = await revisionsOf([...networks].filter(waiting.hasNetwork));
    for (const [networkID, revision] of revisions)
      for (const waiter of await touchedIn(networkID, revision)) waiters.add(waiter);
    return waiters;
  }

  /** Those of the networks that are still there. */
  async function revisionsOf(ids: string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await ctx.reader
      .selectFrom("networks")
      .select(["id", "revision"])
      .where("id", "in", ids)
      .execute();
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  async function touchedIn(networkID: string, revision: number): Promise<Iterable<Waiter>> {
    const before = seen.get(networkID);
    if (before && before.revision >= revision) return [];
    const after = await snapshots.get(networkID, revision);
    if (!before || !after) return waiting.ofNetwork(networkID);
    seen.set(networkID, after);
    return waiting.touchedIn(networkID, touchedBetween(before, after));
  }

  async function lookAt(waiters: Set<Waiter>): Promise<void> {
    const all = [...waiters];
    for (let start = 0; start < all.length; start += HOSTS_AT_ONCE) {
      const some = all.slice(start, start + HOSTS_AT_ONCE);
      const generations = some.map(({ call }) => ({ hostID: call.host.id, counter: call.host.counter }));
      const found = await findCallingHosts(ctx.reader, generations);
      const hosts = new Map(found.map((host) => [`${host.id} ${host.counter}`, host]));
      for (const waiter of some) {
        const { id, counter } = waiter.call.host;
        await look(waiter, hosts.get(`${id} ${counter}`));
      }
    }
  }

  const worker = createWorker({
    pollMs: RETRY_MS,
    work,
    onError: (error) => ctx.log.warn({ err: error }, "could not wake hosts; trying again"),
  });
  const unsubscribe = ctx.changes.subscribe(hear, () => {
    news.isVague = true;
    worker.wake();
  });

  return {
    ...worker,
    async watch({ networkID, networkRevision }) {
      if (seen.has(networkID)) return;
      const snapshot = await snapshots.get(networkID, networkRevision);
      if (snapshot && !seen.has(networkID)) seen.set(networkID, snapshot);
    },
    forget: (networkID) => void seen.delete(networkID),
    async stop() {
      unsubscribe();
      await worker.stop();
    },
  };
}
