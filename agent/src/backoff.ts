/** How long the agent waits between requests. */
export const POLL_SPACING_SECONDS = 1;
/** The next poll waits at most this long for the report about an update. */
export const REPORT_WAIT_MAX_SECONDS = 10;

export interface Backoff {
  readonly first: number;
  readonly last: number;
}
export const BACKOFF_SECONDS: Backoff = { first: 1, last: 60 };
/** Rejected credentials need a person, so the agent retries slowly. */
export const REJECTED_BACKOFF_SECONDS: Backoff = { first: 60, last: 900 };

/** Exponential, with random jitter of up to a half, so that hosts don't all reconnect at the same time. */
export function backoff(failures: number, { first, last }: Backoff): number {
  return Math.min(first * 2 ** failures, last) * (0.5 + Math.random() / 2);
}
