/** How long a server may take to start and to create its database, also on a busy machine. */
export const STARTING = { timeout: 300_000, interval: 500 };
