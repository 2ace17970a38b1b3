import { runAs, SYSTEM } from "./work-class.ts";

/** Does what is due: when told, and every now and then in case nobody told. One round at a time. */
export interface Worker {
  start(): void;
  wake(): void;
  /** Does everything that is due; resolves when nothing is. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  pollMs: number;
  /** Does everything that is due, or as much as can be done before `isStopped`. */
  work: (isStopped: () => boolean) => Promise<void>;
  failed: (error: unknown) => void;
}

export function createWorker({ pollMs, work, failed }: WorkerOptions): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let wokenAgain = false;
  let stopped = false;

  /** A wake-up during a round makes another one follow at once. */
  async function rounds(): Promise<void> {
    do {
      wokenAgain = false;
      await work(() => stopped).catch(failed);
    } while (wokenAgain && !stopped);
    running = undefined;
    if (!stopped) timer = setTimeout(wake, pollMs).unref();
  }

  function wake(): void {
    if (stopped) return;
    clearTimeout(timer);
    if (running) wokenAgain = true;
    else running = runAs(SYSTEM, rounds);
  }

  return {
    start: wake,
    wake,
    async drain() {
      wake();
      await running;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
