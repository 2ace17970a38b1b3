/**
 * The waiting hosts that are to be checked, in a queue for each organization, so that the mass change of one delays no
 * other. In a queue, hosts whose own rows may have changed come first.
 */
import type { CallingHost } from "../agents/calling-hosts.service.ts";
import type { WaitersToCheck } from "./affected-waiters.ts";
import type { Snapshot } from "./snapshot.ts";
import { UpdatePace } from "./update-pace.ts";
import type { Waiter } from "./waiting-hosts.ts";

class WakeQueue {
  readonly #changed = new Set<Waiter>();
  readonly #others = new Map<Waiter, Snapshot>();

  get size(): number {
    return this.#changed.size + this.#others.size;
  }

  add(waiter: Waiter, snapshot: Snapshot | undefined): void {
    waiter.hold();
    if (!snapshot) {
      this.#changed.add(waiter);
      this.#others.delete(waiter);
    } else if (!this.#changed.has(waiter)) this.#others.set(waiter, snapshot);
  }

  take(count: number): WaitersToCheck {
    const taken: WaitersToCheck = new Map();
    for (const waiter of this.#changed) {
      if (taken.size === count) return taken;
      this.#changed.delete(waiter);
      taken.set(waiter, undefined);
    }
    for (const [waiter, snapshot] of this.#others) {
      if (taken.size === count) return taken;
      this.#others.delete(waiter);
      taken.set(waiter, snapshot);
    }
    return taken;
  }
}

export interface WakeQueueOptions {
  /** Returns the IDs of the hosts that were told to fetch an update. */
  checkAll: (waiters: WaitersToCheck) => Promise<string[]>;
  /** The hosts that were still in the queue are dropped. */
  onError: (error: unknown) => void;
  createPace?: () => UpdatePace;
}

export class WakeQueues {
  readonly #options: WakeQueueOptions;
  /** By organization, until the queue is empty. */
  readonly #running = new Map<string, { queue: WakeQueue; pace: UpdatePace; end: Promise<void> }>();
  #checkingCount = 0;
  #isStopped = false;

  constructor(options: WakeQueueOptions) {
    this.#options = options;
  }

  add(waiters: WaitersToCheck): void {
    for (const [waiter, snapshot] of waiters)
      this.#queueOf(waiter.call.host.organizationID).add(waiter, snapshot);
  }

  /** The host has fetched its update. */
  recordFetch({ id, organizationID }: Pick<CallingHost, "id" | "organizationID">): void {
    this.#running.get(organizationID)?.pace.remove(id);
  }

  /** Whether the host was just offered an update and hasn't fetched it, while more hosts are to be woken. */
  isFetchExpected(hostID: string): boolean {
    for (const { pace } of this.#running.values()) if (pace.has(hostID)) return true;
    return false;
  }

  countHosts(): number {
    let count = this.#checkingCount;
    for (const { queue } of this.#running.values()) count += queue.size;
    return count;
  }

  /** Resolves when nothing is being checked. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#running.values()].map(({ end }) => end));
  }

  #queueOf(organizationID: string): WakeQueue {
    const existing = this.#running.get(organizationID);
    if (existing) return existing.queue;
    const [queue, pace] = [new WakeQueue(), this.#options.createPace?.() ?? new UpdatePace()];
    this.#running.set(organizationID, { queue, pace, end: this.#run(organizationID, queue, pace) });
    return queue;
  }

  async #run(organizationID: string, queue: WakeQueue, pace: UpdatePace): Promise<void> {
    try {
      do {
        const count = await pace.next();
        for (const id of await this.#check(queue.take(count))) pace.add(id);
      } while (queue.size > 0 && !this.#isStopped);
    } catch (error) {
      this.#options.onError(error);
    }
    this.#running.delete(organizationID);
  }

  async #check(waiters: WaitersToCheck): Promise<string[]> {
    this.#checkingCount += waiters.size;
    try {
      return await this.#options.checkAll(waiters);
    } finally {
      this.#checkingCount -= waiters.size;
      for (const waiter of waiters.keys()) waiter.release();
    }
  }
}
