/** Limits concurrent work and alternates between waiting classes of work, however much each has queued. */
import { ApiError } from "../errors/api-error.ts";

export interface FairQueueOptions {
  /** Maximum of concurrent work. */
  slots: number;
  /** Slots that one class may use, so that others find a free one. */
  share: number;
  /** Maximum queue length of one class. */
  waitingMax: number;
  /** Maximum time in the queue. */
  waitMs: number;
  /** This class may use every slot. */
  unlimitedClass: string;
}

interface WorkClass {
  running: number;
  waiting: Set<() => void>;
}

export interface FairQueue {
  /** Resolves when a slot is free; call the result to release it. */
  acquire(name: string): Promise<() => void>;
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
  readonly waitingCount: number;
}

const RETRY_SECONDS = 1;

class RoundRobinQueue implements FairQueue {
  readonly #options: FairQueueOptions;
  /** Classes with running or waiting work, in round-robin order. */
  readonly #classes = new Map<string, WorkClass>();
  #running = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  async acquire(name: string): Promise<() => void> {
    const workClass = this.#classes.get(name) ?? { running: 0, waiting: new Set() };
    this.#classes.set(name, workClass);
    if (this.#hasFreeSlot() && this.#hasShare(name, workClass) && workClass.waiting.size === 0)
      return this.#occupy(name, workClass);
    if (workClass.waiting.size >= this.#options.waitingMax)
      throw new ApiError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: RETRY_SECONDS });
    return this.#wait(name, workClass);
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(name);
    try {
      return await work();
    } finally {
      release();
    }
  }

  get waitingCount(): number {
    return [...this.#classes.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  #hasFreeSlot(): boolean {
    return this.#running < this.#options.slots;
  }

  #hasShare(name: string, { running }: WorkClass): boolean {
    const { share, unlimitedClass } = this.#options;
    return name === unlimitedClass || running < share;
  }

  /** Resolves when `#startWaiting` assigns a slot; rejects when the time in the queue is over. */
  #wait(name: string, workClass: WorkClass): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        workClass.waiting.delete(start);
        resolve(this.#occupy(name, workClass));
      };
      const timer = setTimeout(() => {
        workClass.waiting.delete(start);
        reject(new ApiError("ERR_UNAVAILABLE", { retryAfterSeconds: RETRY_SECONDS }));
      }, this.#options.waitMs);
      workClass.waiting.add(start);
    });
  }

  /** Takes a slot and returns the function that releases it. */
  #occupy(name: string, workClass: WorkClass): () => void {
    this.#running++;
    workClass.running++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#running--;
      workClass.running--;
      this.#startWaiting();
      if (workClass.running === 0 && workClass.waiting.size === 0) this.#classes.delete(name);
    };
  }

  /** Assigns free slots, one to each class before a second one to any. */
  #startWaiting(): void {
    for (const [name, workClass] of this.#classes) {
      if (!this.#hasFreeSlot()) return;
      const [start] = workClass.waiting;
      if (!start || !this.#hasShare(name, workClass)) continue;
      // Moves the class to the end of the order.
      this.#classes.delete(name);
      this.#classes.set(name, workClass);
      start();
    }
  }
}

export function createFairQueue(options: FairQueueOptions): FairQueue {
  return new RoundRobinQueue(options);
}
