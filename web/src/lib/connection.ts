/** Whether the API is reachable, derived from the calls that the console makes anyway. */
import { useSyncExternalStore } from "react";

export interface Connection {
  reachable: boolean;
  /** When the API last responded, in milliseconds since 1970. */
  respondedAt: number | undefined;
}

export const GATEWAY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504]);

let connection: Connection = { reachable: true, respondedAt: undefined };
const listeners = new Set<() => void>();

function setConnection(next: Connection): void {
  const hasChanged = next.reachable !== connection.reachable;
  connection = next;
  if (hasChanged) for (const listener of listeners) listener();
}

function markUnreachable(): void {
  setConnection({ ...connection, reachable: false });
}

/** Replaces the browser's message, which differs between browsers and says little. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super("Can’t reach Lightkeeper. Check your connection and try again.", { cause });
    this.name = "UnreachableError";
  }
}

/** `fetch` that keeps the connection state up to date. An aborted call doesn't count as a failure. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    if (GATEWAY_FAILURES.has(response.status)) markUnreachable();
    else setConnection({ reachable: true, respondedAt: Date.now() });
    return response;
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    markUnreachable();
    throw new UnreachableError(error);
  }
};

export function readConnection(): Connection {
  return connection;
}

export function subscribeToConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribeToConnection, readConnection);
}
