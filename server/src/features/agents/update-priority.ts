/**
 * Serves hosts that get an update before hosts that report or poll when thousands of hosts call at the same time.
 * Only waiting hosts, authenticated messages and expected messages make others wait, and a host counts once however
 * many updates it requests.
 */
import { SECOND_MS } from "../../infrastructure/time/durations.ts";

export interface UpdatePriority {
  /** Runs the work immediately; while many hosts get updates, other messages wait. */
  run: <T>(hostID: string, work: () => Promise<T>) => Promise<T>;
  /** Resolves when few hosts get updates, or after the longest wait. */
  wait: () => Promise<void>;
}

const FEW_HOSTS = 50;
const RELEASED_TOGETHER_MAX = 100;
export const WAIT_MS_MAX = 8 * SECOND_MS;
/** Nothing tells when the last waiting host has been checked. */
const LOOK_MS = 0.1 * SECOND_MS;

/** The messages that wait, in the order of their arrival. */
class WaitingMessages {
  readonly #areFew: () => boolean;
  readonly #resumes = new Set<() => void>();
  #isReleaseScheduled = false;
  #isLookScheduled = false;

  /** Messages wait unless `areFew`. */
  constructor(areFew: () => boolean) {
    this.#areFew = areFew;
  }

  get size(): number {
    return this.#resumes.size;
  }

  add(resolve: () => void, waitMsMax: number): void {
    const resume = () => {
      clearTimeout(longest);
      this.#resumes.delete(resume);
      resolve();
    };
    const longest = setTimeout(resume, waitMsMax);
    this.#resumes.add(resume);
    this.#lookLater();
  }

  /** Updates that arrive in between are served first. */
  scheduleRelease(): void {
    if (this.#isReleaseScheduled) return;
    this.#isReleaseScheduled = true;
    setImmediate(() => this.#release());
  }

  #release(): void {
    this.#isReleaseScheduled = false;
    if (this.size > 0 && !this.#areFew()) return this.#lookLater();
    let left = RELEASED_TOGETHER_MAX;
    for (const resume of this.#resumes) {
      if (left-- === 0) return this.scheduleRelease();
      resume();
    }
  }

  #lookLater(): void {
    if (this.#isLookScheduled) return;
    this.#isLookScheduled = true;
    setTimeout(() => {
      this.#isLookScheduled = false;
      this.#release();
    }, LOOK_MS);
  }
}

/** Waiting hosts that are still to be checked count like hosts that fetch an update. */
export function createUpdatePriority(
  countHostsToCheck: () => number,
  waitMsMax = WAIT_MS_MAX,
): UpdatePriority {
  /** How many updates each host fetches. */
  const fetching = new Map<string, number>();
  const areFew = () => fetching.size + countHostsToCheck() < FEW_HOSTS;
  const waiting = new WaitingMessages(areFew);
  return {
    async run(hostID, work) {
      fetching.set(hostID, (fetching.get(hostID) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = (fetching.get(hostID) ?? 0) - 1;
        if (left > 0) fetching.set(hostID, left);
        else fetching.delete(hostID);
        if (waiting.size > 0 && areFew()) waiting.scheduleRelease();
      }
    },
    wait: () =>
      new Promise((resolve) => {
        if (waiting.size === 0 && areFew()) resolve();
        else waiting.add(resolve, waitMsMax);
      }),
  };
}
