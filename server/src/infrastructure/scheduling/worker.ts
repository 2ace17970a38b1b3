import { runAs, SYSTEM } from "./work-class.ts";

/** Runs due work when woken; once started, also periodically in case a wake-up was lost. One round at a time. */
export interface Worker {
  start(): void;
  wake(): void;
  /** Does everything that is due; resolves when nothing is. */
  drain(): Promise<void>;
  /** Resolves when no work is running, without starting any. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkerOptions {
  pollMs: number;
  /** Does everything that is due, or as much as can be done before `isStopped`. */
  work: (isStopped: () => boolean) => Promise<void>;
  onError: (error: unknown) => void;
}

export function createWorker({ pollMs, work, onError }: WorkerOptions): Worker {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWokenAgain = false;
  let isStarted = false;
  let isStopped = false;

  /** A wake-up during a round starts another one immediately. */
  async function runRounds(): Promise<void> {
    do {
      isWokenAgain = false;
      await work(() => isStopped).catch(onError);
    } while (isWokenAgain && !isStopped);
    running = undefined;
    if (isStarted && !isStopped) timer = setTimeout(wake, pollMs).unref();
  }

  function wake(): void {
    if (isStopped) return;
    clearTimeout(timer);
    if (running) isWokenAgain = true;
    else running = runAs(SYSTEM, runRounds);
  }

  return {
    start() {
      isStarted = true;
      wake();
    },
    wake,
    async drain() {
      wake();
      await running;
    },
    async settle() {
      await running;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
