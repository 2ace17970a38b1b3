/**
 * The time that is stored, compared and shown: the database's time, extrapolated by the monotonic clock. The clock of
 * this machine does not matter. Durations use `performance.now()`.
 */
import { MINUTE_MS } from "./durations.ts";

export type Clock = () => Date;

export interface DatabaseTime {
  /** The database's clock, in milliseconds since 1970. */
  databaseMs: number;
  /** The monotonic clock when the query was sent and when its result arrived. */
  sentAt: number;
  receivedAt: number;
}

export interface DatabaseClock {
  now: Clock;
  synchronize: (time: DatabaseTime) => void;
}

/** A greater difference means that a clock was set, and is applied immediately; a smaller one is corrected gradually. */
const STEP_MS = 2000;
const CORRECTION = 0.1;

/** A stored time later than this from now was stored before the clock was set back. */
export const CLOCK_SKEW_MS_MAX = MINUTE_MS;

/** For display: nothing happened later than now. */
export const clampToNow = (at: Date, now: Date): Date => (at < now ? at : now);

/** The clock of this machine: for file names, file ages and commands. */
export const systemTime: Clock = () => new Date();

export function createDatabaseClock(onStep: (ms: number) => void): DatabaseClock {
  let offsetMs = systemTime().getTime() - performance.now();
  let latestMs = Number.NEGATIVE_INFINITY;
  let isSynchronized = false;
  return {
    now() {
      // During a small correction time pauses, but never goes back.
      latestMs = Math.max(latestMs, performance.now() + offsetMs);
      return new Date(latestMs);
    },
    synchronize({ databaseMs, sentAt, receivedAt }) {
      const differenceMs = databaseMs - (sentAt + receivedAt) / 2 - offsetMs;
      const uncertaintyMs = (receivedAt - sentAt) / 2;
      if (Math.abs(differenceMs) <= uncertaintyMs) return;
      const isStep = Math.abs(differenceMs) > STEP_MS + uncertaintyMs;
      offsetMs += isStep || !isSynchronized ? differenceMs : differenceMs * CORRECTION;
      if (isStep) {
        latestMs = Number.NEGATIVE_INFINITY;
        if (isSynchronized) onStep(differenceMs);
      }
      isSynchronized = true;
    },
  };
}

/** Detects that a clock was set by comparing it with the monotonic clock. */
export function createStepDetector(clock: Clock): () => number {
  let offsetMs: number | undefined;
  return () => {
    const current = clock().getTime() - performance.now();
    const stepMs = offsetMs === undefined ? 0 : current - offsetMs;
    offsetMs = current;
    return Math.abs(stepMs) > STEP_MS ? stepMs : 0;
  };
}
