/** Builds the agent and runs it as a process, with the flags that hosts run it with. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { nodeFlagsOf } from "@lightkeeper/contract/agent-launcher";
import type { BuiltAgent } from "../../../scripts/build-agent.d.mts";
import { buildAgent } from "../../../scripts/build-agent.mjs";

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

export interface AgentProcess {
  readonly pid: number;
  output(): string;
  /** Resolves when the process has exited. */
  kill(signal: NodeJS.Signals): Promise<Outcome>;
}

export interface AgentProgram extends Pick<BuiltAgent, "version"> {
  start(...args: string[]): AgentProcess;
  run(...args: string[]): Promise<Outcome>;
  remove(): void;
}

export async function buildAgentProgram(): Promise<AgentProgram> {
  const folder = mkdtempSync(join(tmpdir(), "lk-agent-"));
  const { file, version }: BuiltAgent = await buildAgent(folder);
  const launch = (args: string[]) => {
    const child = spawn(process.execPath, [...nodeFlagsOf(process.versions.node), file, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exited = once(child, "exit");
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const outcome = async () => {
      await exited;
      return { code: child.exitCode, output };
    };
    return { child, outcome, output: () => output };
  };
  return {
    version,
    start: (...args) => {
      const { child, outcome, output } = launch(args);
      return {
        pid: child.pid ?? 0,
        output,
        kill: (signal) => {
          child.kill(signal);
          return outcome();
        },
      };
    },
    run: (...args) => launch(args).outcome(),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function until(condition: () => boolean, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Not true after ${seconds} s: ${String(condition)}`);
    await sleep(20);
  }
}
