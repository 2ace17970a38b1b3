/** Agents in a process of their own, so that what they cost is not mistaken for the server's. */
import { fork } from "node:child_process";
import type { FleetAnswer, FleetCalls, Question } from "./fleet-process.ts";

/** What the benchmarks' program is given to become a fleet. */
export const FLEET = "--fleet";

export interface Fleet extends FleetCalls {
  stop(): void;
}

export function startFleet(): Fleet {
  const child = fork(import.meta.filename, [FLEET], { execArgv: ["--max-semi-space-size=64"] });
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let asked = 0;
  child.on("message", (answer: FleetAnswer) => {
    const { resolve, reject } = waiting.get(answer.id) ?? {};
    waiting.delete(answer.id);
    if ("error" in answer) reject?.(new Error(answer.error));
    else resolve?.(answer.value);
  });
  child.on("exit", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The fleet ended with ${code}`));
  });

  function ask<Name extends keyof FleetCalls>(name: Name): FleetCalls[Name] {
    const call = (given?: unknown) =>
      new Promise<unknown>((resolve, reject) => {
        const question: Question = { id: ++asked, name, given };
        waiting.set(question.id, { resolve, reject });
        child.send(question);
      });
    return call as FleetCalls[Name];
  }

  return {
    enroll: ask("enroll"),
    prepare: ask("prepare"),
    receive: ask("receive"),
    reportFor: ask("reportFor"),
    counts: ask("counts"),
    stop: () => child.disconnect(),
  };
}
