/** Records which requests failed, and for how long clients couldn't get through. */
import { RequestError } from "@lightkeeper/contract";

/** What a fault did to the requests of one kind of client. */
export interface Availability {
  /** The longest time from the start of a client's first failed or slow request until its next success. */
  seconds: number;
  succeeded: number;
  failed: number;
  /** Failures other than a lost connection and the declared responses of a server that can't serve a request now. */
  unexpected: string[];
}

export interface Recorder {
  /** Runs a request of a client; returns undefined if it failed. */
  record: <T>(client: string, what: string, request: () => Promise<T>) => Promise<T | undefined>;
  /** What happened since the last call; a client that is still failing counts until now. */
  take: () => Availability;
  /** Clients whose last request failed. */
  readonly failingCount: number;
}

/** A request that takes longer is as bad as one that fails. */
const SLOW_MS = 5000;

/** Responses after which clients repeat a request. */
const DECLARED = [
  { status: 503, code: "ERR_UNAVAILABLE" },
  { status: 408, code: "ERR_TIMEOUT" },
];

export const isDeclared = (status: number, body: string): boolean =>
  DECLARED.some((declared) => declared.status === status && body.includes(declared.code));

/** A connection that ended without a response, as after a restart of the load balancer. */
const isConnectionLost = (error: unknown) =>
  error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError");

/** A description of the failure, unless it is one that clients have to expect. */
export function describeUnexpected(error: unknown): string | undefined {
  if (isConnectionLost(error)) return undefined;
  if (!(error instanceof RequestError)) return String(error);
  const { status } = error.response;
  const [first] = error.errors;
  if (isDeclared(status, first?.code ?? "")) return undefined;
  return `${status} ${first?.code ?? error.message}`;
}

export function createRecorder(): Recorder {
  let current: Availability = { seconds: 0, succeeded: 0, failed: 0, unexpected: [] };
  const failingSince = new Map<string, number>();
  const countOutage = (since: number) => {
    current.seconds = Math.max(current.seconds, (performance.now() - since) / 1000);
  };
  return {
    async record(client, what, request) {
      const startedAt = performance.now();
      try {
        const result = await request();
        current.succeeded++;
        const since = failingSince.get(client) ?? startedAt;
        if (failingSince.has(client) || performance.now() - since > SLOW_MS) countOutage(since);
        failingSince.delete(client);
        return result;
      } catch (error) {
        current.failed++;
        if (!failingSince.has(client)) failingSince.set(client, startedAt);
        const unexpected = describeUnexpected(error);
        if (unexpected !== undefined) current.unexpected.push(`${what}: ${unexpected}`);
        return undefined;
      }
    },
    take() {
      for (const since of failingSince.values()) countOutage(since);
      const taken = current;
      current = { seconds: 0, succeeded: 0, failed: 0, unexpected: [] };
      return taken;
    },
    get failingCount() {
      return failingSince.size;
    },
  };
}
