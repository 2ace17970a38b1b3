export interface Backoff {
  minMs: number;
  maxMs: number;
}

/** Doubles the delay with every failed attempt, up to a maximum. */
export const backoffMs = ({ minMs, maxMs }: Backoff, attempts: number): number =>
  Math.min(minMs * 2 ** attempts, maxMs);
