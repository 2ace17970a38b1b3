/** How long an agent waits for what. */
export const POLL_SPACING_SECONDS = 1;
/** How long the next poll waits for the report on an update to be heard. */
export const REPORT_SECONDS_MAX = 10;

export interface Backoff {
  readonly first: number;
  readonly last: number;
}
export const BACKOFF_SECONDS: Backoff = { first: 1, last: 60 };
/** Only a person can help: no reason to hurry. */
export const REFUSED_BACKOFF_SECONDS: Backoff = { first: 60, last: 900 };

/** Doubling, and up to half of it left to chance: hosts must not come back all at once. */
export function backoff(failures: number, { first, last }: Backoff): number {
  return Math.min(first * 2 ** failures, last) * (0.5 + Math.random() / 2);
}
