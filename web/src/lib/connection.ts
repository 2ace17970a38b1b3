/** Whether the API answers, learnt from the calls that are made anyway. */
import { useSyncExternalStore } from "react";

export interface Connection {
  reachable: boolean;
  /** When the API last answered, in milliseconds since 1970. */
  answeredAt: number | undefined;
}

export const GATEWAY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504]);

let connection: Connection = { reachable: true, answeredAt: undefined };
const listeners = new Set<() => void>();

function become(next: Connection): void {
  const told = next.reachable !== connection.reachable;
  connection = next;
  if (told) for (const listener of listeners) listener();
}

function lost(): void {
  become({ ...connection, reachable: false });
}

/** In place of the browser's own words, which differ and say little. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super("Lightkeeper could not be reached. Check your connection and try again.", { cause });
    this.name = "UnreachableError";
  }
}

/** `fetch`, watched. A call its caller gave up says nothing about the API. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    if (GATEWAY_FAILURES.has(response.status)) lost();
    else become({ reachable: true, answeredAt: Date.now() });
    return response;
  } catch (error) {
    if (init?.signal?.aborted) throw error;
    lost();
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
