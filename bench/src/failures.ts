/** Failed requests, and whether a killed server explains them. */
import { RequestError } from "@lightkeeper/contract";
import { RequestRejected } from "@lightkeeper/demo/agents";

export interface Failure {
  /** In milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  what: string;
  /** The connection was lost, or the server declared that it can't handle requests now. */
  isRetryable: boolean;
}

/** The time in which a server was down, in milliseconds since 1970. */
export interface Outage {
  startedAt: number;
  endedAt: number;
}

/** The load balancer's response if the connection to a server breaks. */
const BAD_GATEWAY = 502;
const UNAVAILABLE = 503;

function isRetryable(error: unknown): boolean {
  if (error instanceof RequestRejected)
    return (
      error.status === BAD_GATEWAY ||
      (error.status === UNAVAILABLE && error.message.includes("ERR_UNAVAILABLE"))
    );
  if (!(error instanceof RequestError)) return true;
  const { status } = error.response;
  return (
    status === BAD_GATEWAY ||
    (status === UNAVAILABLE && error.errors.some(({ code }) => code === "ERR_UNAVAILABLE"))
  );
}

export const describeFailure = (what: string, error: unknown, startedAt: number): Failure => ({
  startedAt,
  endedAt: Date.now(),
  what: `${what}: ${String(error).slice(0, 300)}`,
  isRetryable: isRetryable(error),
});

export interface Recorder {
  /** Includes failed requests. */
  requestCount: number;
  failures: Failure[];
  /** Sends a request; returns undefined if it fails. */
  record: <T>(what: string, request: Promise<T>) => Promise<T | undefined>;
}

export function createRecorder(): Recorder {
  const recorder: Recorder = {
    requestCount: 0,
    failures: [],
    async record(what, request) {
      const startedAt = Date.now();
      recorder.requestCount++;
      try {
        return await request;
      } catch (error) {
        // The benchmark itself aborts requests when it ends.
        const isAborted = error instanceof Error && error.name === "AbortError";
        if (!isAborted) recorder.failures.push(describeFailure(what, error, startedAt));
        return undefined;
      }
    },
  };
  return recorder;
}

export interface SortedFailures {
  /** While both servers were up. */
  unexplained: Failure[];
  /** While a server was down, in a way that clients need not expect. */
  unexpected: Failure[];
  /** While a server was down: lost connections and declared responses. */
  expected: Failure[];
}

export function sortFailures(failures: readonly Failure[], outages: readonly Outage[]): SortedFailures {
  const isDuringOutage = (failure: Failure) =>
    outages.some((outage) => failure.endedAt >= outage.startedAt && failure.startedAt <= outage.endedAt);
  const during = failures.filter(isDuringOutage);
  return {
    unexplained: failures.filter((failure) => !isDuringOutage(failure)),
    unexpected: during.filter((failure) => !failure.isRetryable),
    expected: during.filter((failure) => failure.isRetryable),
  };
}
