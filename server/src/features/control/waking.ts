/**
 * Wakes the waiting hosts that a change can affect, whichever process made it. A change message only says which
 * networks to read. Messages that arrive meanwhile are handled together afterwards. The rows of hosts are read only if
 * they may have changed, or if the rows that were read before don't explain why to wake them.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type CallingHost, findCallingHosts } from "../agents/calling-hosts.service.ts";
import { COMMANDS_NOUN } from "../../nouns/host-commands/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import type { Reader } from "../../infrastructure/db/client.ts";
import { findDescriptor } from "../../infrastructure/nouns/noun-descriptors.ts";
import { createWorker, type Worker } from "../../infrastructure/scheduling/worker.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { AffectedWaiters, type ChangedIDs, type WaitersToCheck } from "./affected-waiters.ts";
import type { PollChecks } from "./poll-checks.ts";
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
  checks: PollChecks;
}

interface PendingChanges extends ChangedIDs {
  /** Messages were lost, so every host is checked. */
  isIncomplete: boolean;
}

const noChanges = (): PendingChanges => ({
  hosts: new Set(),
  networks: new Set(),
  organizations: new Set(),
  isIncomplete: false,
});

function addChange(ids: ChangedIDs, { noun, id, networkID, organizationID }: OrganizationChange): void {
  const wakes = noun === COMMANDS_NOUN ? "host" : findDescriptor(noun)?.wakes;
  if (wakes === "host" && id !== undefined) ids.hosts.add(id);
  if (networkID !== undefined) ids.networks.add(networkID);
  if (wakes === "organization") ids.organizations.add(organizationID);
}

export function createWaking(ctx: Context, { snapshots, waiting, checks }: WakingOptions): Waking {
  const affected = new AffectedWaiters({ reader: ctx.reader, snapshots, waiting });
  let pending = noChanges();

  async function work(): Promise<void> {
    const changes = pending;
    pending = noChanges();
    try {
      const waiters = changes.isIncomplete ? allOf(waiting) : await affected.find(changes);
      // These messages arrived since.
      for (const id of pending.hosts) for (const waiter of waiting.ofHost(id)) waiters.delete(waiter);
      await checkAll(ctx.reader, waiters, checks);
    } catch (error) {
      pending.isIncomplete = true;
      throw error;
    }
  }

  const worker = createWorker({
    pollMs: RETRY_MS,
    work,
    onError: (error) => ctx.log.warn({ err: error }, "could not wake hosts; will retry"),
  });
  worker.start();
  const unsubscribe = ctx.changes.subscribe(
    (change) => {
      addChange(pending, change);
      worker.wake();
    },
    () => {
      pending.isIncomplete = true;
      worker.wake();
    },
  );

  return {
    ...worker,
    watch: (host) => affected.watch(host),
    forget: (networkID) => affected.forget(networkID),
    async stop() {
      unsubscribe();
      await worker.stop();
    },
  };
}

const allOf = (waiting: WaitingHosts): WaitersToCheck =>
  new Map(waiting.all().map((waiter) => [waiter, undefined]));

async function checkAll(reader: Reader, waiters: WaitersToCheck, checks: PollChecks): Promise<void> {
  const all = [...waiters];
  for (let start = 0; start < all.length; start += BATCH_SIZE) {
    const toRead = all
      .slice(start, start + BATCH_SIZE)
      .filter(([waiter, snapshot]) => !snapshot || !checks.offerExpectedUpdate(waiter, snapshot))
      .map(([waiter]) => waiter);
    const hosts = await findHosts(reader, toRead);
    for (const waiter of toRead) await checks.checkForWork(waiter, hosts.get(keyOf(waiter.call.host)));
    await nextTurn();
  }
}

const keyOf = ({ id, counter }: CallingHost) => `${id} ${counter}`;

/** Omits hosts whose credentials are no longer valid. */
async function findHosts(reader: Reader, waiters: Waiter[]): Promise<Map<string, CallingHost>> {
  const generations = waiters.map(({ call }) => ({ hostID: call.host.id, counter: call.host.counter }));
  const hosts = await findCallingHosts(reader, generations);
  return new Map(hosts.map((host) => [keyOf(host), host]));
}
