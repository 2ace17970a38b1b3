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

export function createFairQueue(options: FairQueueOptions): FairQueue {
  const { slots, share, waitingMax, waitMs, unlimitedClass } = options;
  /** Classes with running or waiting work, in round-robin order. */
  const classes = new Map<string, WorkClass>();
  let running = 0;

  const hasShare = (name: string, { running }: WorkClass) => name === unlimitedClass || running < share;

  /** Assigns free slots, one to each class before a second one to any. */
  function startWaiting(): void {
    for (const [name, workClass] of classes) {
      if (running >= slots) return;
      const [start] = workClass.waiting;
      if (!start || !hasShare(name, workClass)) continue;
      // Moves the class to the end of the order.
      classes.delete(name);
      classes.set(name, workClass);
      start();
    }
  }

  function occupy(name: string, workClass: WorkClass): () => void {
    running++;
    workClass.running++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      running--;
      workClass.running--;
      startWaiting();
      if (workClass.running === 0 && workClass.waiting.size === 0) classes.delete(name);
    };
  }

  async function acquire(name: string): Promise<() => void> {
    const workClass = classes.get(name) ?? { running: 0, waiting: new Set() };
    classes.set(name, workClass);
    if (running < slots && hasShare(name, workClass) && workClass.waiting.size === 0)
      return occupy(name, workClass);
    if (workClass.waiting.size >= waitingMax)
      throw new ApiError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: RETRY_SECONDS });
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        workClass.waiting.delete(start);
        resolve(occupy(name, workClass));
      };
      const timer = setTimeout(() => {
        workClass.waiting.delete(start);
        reject(new ApiError("ERR_UNAVAILABLE", { retryAfterSeconds: RETRY_SECONDS }));
      }, waitMs);
      workClass.waiting.add(start);
    });
  }

  return {
    acquire,
    async run(name, work) {
      const release = await acquire(name);
      try {
        return await work();
      } finally {
        release();
      }
    },
    get waitingCount() {
      return [...classes.values()].reduce((sum, { waiting }) => sum + waiting.size, 0);
    },
  };
}
