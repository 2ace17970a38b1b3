/**
 * Wakes the waiting hosts that a change can affect, whichever process made it. A change message only says which
 * networks to read. Messages that arrive meanwhile are handled together afterwards. The rows of hosts are read only if
 * they may have changed, or if the rows that were read before don't explain why to wake them.
 */
import type { CallingHost, FindCallingHost } from "../agents/calling-hosts.service.ts";
import { COMMANDS_NOUN } from "../../nouns/host-commands/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { OrganizationChange } from "../../infrastructure/changes/change-feed.ts";
import { findDescriptor } from "../../infrastructure/nouns/noun-descriptors.ts";
import { createWorker } from "../../infrastructure/scheduling/worker.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";
import { AffectedWaiters, type ChangedIDs, type WaitersToCheck } from "./affected-waiters.ts";
import type { PollChecks } from "./poll-checks.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Snapshots } from "./snapshots.ts";
import type { Waiter, WaitingHosts } from "./waiting-hosts.ts";
import { WakeQueues } from "./wake-queues.ts";

/** The delay after a failed read. */
const RETRY_MS = 2 * SECOND_MS;

export interface Waking {
  /**
   * Watches for changes of the host. Returns whether its row is current: a later change then wakes the host, which must
   * be waiting already.
   */
  watch(host: CallingHost): Promise<boolean>;
  forget(networkID: string): void;
  /** The host has fetched its update. */
  recordFetch(host: CallingHost): void;
  isFetchExpected(hostID: string): boolean;
  countHostsToCheck(): number;
  stop(): Promise<void>;
}

export interface WakingOptions {
  snapshots: Snapshots;
  waiting: WaitingHosts;
  findHost: FindCallingHost;
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

export function createWaking(ctx: Context, options: WakingOptions): Waking {
  const { snapshots, waiting } = options;
  const affected = new AffectedWaiters({ reader: ctx.reader, snapshots, waiting });
  let pending = noChanges();
  const queues = new WakeQueues({
    checkAll: (waiters) => checkAll(waiters, options),
    onError: checkAllLater,
  });

  async function work(): Promise<void> {
    const changes = pending;
    pending = noChanges();
    const waiters = changes.isIncomplete ? allOf(waiting) : await affected.find(changes);
    // Messages that arrived since name these hosts, so their rows may have changed.
    for (const waiter of waiting.ofHosts(pending.hosts)) waiters.delete(waiter);
    queues.add(waiters);
  }

  function checkAllLater(error: unknown): void {
    pending.isIncomplete = true;
    ctx.log.warn({ err: error }, "could not wake hosts; will retry");
  }

  const worker = createWorker({ pollMs: RETRY_MS, work, onError: checkAllLater });
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
    watch: async (host) => (await affected.watch(host)) && host.readAt === ctx.changes.position,
    forget: (networkID) => affected.forget(networkID),
    recordFetch: (host) => queues.recordFetch(host),
    isFetchExpected: (hostID) => queues.isFetchExpected(hostID),
    countHostsToCheck: () => queues.countHosts(),
    async stop() {
      unsubscribe();
      await worker.stop();
      await queues.stop();
    },
  };
}

const allOf = (waiting: WaitingHosts): WaitersToCheck =>
  new Map(waiting.all().map((waiter) => [waiter, undefined]));

/** Returns the IDs of the hosts that were told to fetch an update. */
async function checkAll(waiters: WaitersToCheck, { findHost, checks }: WakingOptions): Promise<string[]> {
  const check = async (waiter: Waiter, snapshot: Snapshot | undefined) => {
    const expected = snapshot && (await checks.replyWithExpectedUpdate(waiter, snapshot));
    if (expected) return expected;
    const { id, counter } = waiter.call.host;
    return checks.checkForWork(waiter, await findHost({ hostID: id, counter }));
  };
  const open = [...waiters].filter(([{ isOpen }]) => isOpen);
  const outcomes = await Promise.all(open.map(([waiter, snapshot]) => check(waiter, snapshot)));
  return open.flatMap(([{ call }], index) => (outcomes[index] === "offered" ? call.host.id : []));
}
