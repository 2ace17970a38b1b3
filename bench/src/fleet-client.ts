/** Runs agents in a separate process, so that their cost isn't counted as the server's. */
import { fork } from "node:child_process";
import type { FleetResponse, FleetCalls, FleetRequest } from "./fleet-process.ts";

/** The argument that makes the benchmarks' program a fleet process. */
export const FLEET_ARGUMENT = "--fleet";

export interface Fleet extends FleetCalls {
  stop(): void;
}

export function startFleet(): Fleet {
  const child = fork(import.meta.filename, [FLEET_ARGUMENT], { execArgv: ["--max-semi-space-size=64"] });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let requestCount = 0;
  child.on("message", (response: FleetResponse) => {
    const { resolve, reject } = waiting.get(response.id) ?? {};
    waiting.delete(response.id);
    if ("error" in response) reject?.(new Error(response.error));
    else resolve?.(response.value);
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The fleet exited with ${code}`));
  });

  function remoteCall<Name extends keyof FleetCalls>(name: Name): FleetCalls[Name] {
    const call = (input?: unknown) =>
      new Promise<unknown>((resolve, reject) => {
        const request: FleetRequest = { id: ++requestCount, name, input };
        waiting.set(request.id, { resolve, reject });
        child.send(request);
      });
    return call as FleetCalls[Name];
  }

  return {
    enroll: remoteCall("enroll"),
    prepare: remoteCall("prepare"),
    receive: remoteCall("receive"),
    reportFor: remoteCall("reportFor"),
    stopAgent: remoteCall("stopAgent"),
    startAgain: remoteCall("startAgain"),
    expectRejection: remoteCall("expectRejection"),
    runningHosts: remoteCall("runningHosts"),
    takeFailures: remoteCall("takeFailures"),
    counts: remoteCall("counts"),
    stop: () => child.disconnect(),
  };
}
