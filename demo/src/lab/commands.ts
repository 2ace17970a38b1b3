/** Runs commands on the hosts of a running lab, from another terminal. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "@lightkeeper/server/app";

export interface LabState {
  pid: number;
  dataDir: string;
  /** Network namespaces by the name of the machine. */
  namespaces: Record<string, string>;
}

export function writeLabState(file: string, state: LabState): void {
  mkdirSync(dirname(file), { recursive: true });
  // Replaced atomically: another command may read it at any time.
  writeFileSync(`${file}.new`, JSON.stringify(state));
  renameSync(`${file}.new`, file);
}

export function readLabState(file: string): LabState | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

export const deleteLabState = (file: string) => rmSync(file, { force: true });

export function isRunning({ pid }: LabState): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const USAGE = "Usage: npm run lab -- exec HOST -- COMMAND";

/** Returns the exit code of the command. */
export async function execute(file: string, args: readonly string[]): Promise<number> {
  const [host, separator, ...command] = args;
  const [program, ...programArgs] = separator === "--" ? command : args.slice(1);
  if (host === undefined || program === undefined) throw new ConfigError(USAGE);
  const state = readLabState(file);
  if (!state || !isRunning(state)) throw new ConfigError("The lab isn't running. Start it with: npm run lab");
  const namespace = state.namespaces[host];
  if (namespace === undefined)
    throw new ConfigError(`There is no host ${host}. Use ${Object.keys(state.namespaces).join(", ")}.`);
  const child = spawn("ip", ["netns", "exec", namespace, program, ...programArgs], { stdio: "inherit" });
  // The command gets Ctrl-C from the terminal, and decides when it ends.
  process.on("SIGINT", () => undefined);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? (signal ? 1 : 0)));
  });
}
