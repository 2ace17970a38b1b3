/** The built agent, as a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BuiltAgent } from "../../../scripts/build-agent.d.mts";
import { buildAgent } from "../../../scripts/build-agent.mjs";

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

export interface AgentProcess {
  readonly pid: number;
  output(): string;
  /** Resolves when it is gone. */
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
    const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const gone = once(child, "exit");
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const outcome = async () => {
      await gone;
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

export async function until(what: () => boolean, seconds = 15): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!what()) {
    if (Date.now() > deadline) throw new Error(`This did not happen in ${seconds} s: ${String(what)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
