/** Defined here because postgres imports no other workspace. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
