/** The command line. */
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { escapeText } from "@lightkeeper/contract/characters";
import { enroll } from "./enroll.ts";
import { codeOf, EXIT_NOT_ENROLLED, EXIT_NOT_RUNNING, EXIT_USAGE, Failure, sentenceOf } from "./failure.ts";
import { findRunning } from "./lock.ts";
import { endOrphans } from "./nebula.ts";
import { end } from "./processes.ts";
import { runAgent } from "./run.ts";
import { DEFAULT_DIRECTORY, StateDirectory } from "./state.ts";
import { describeEnrollment, describeStatus, readStatus } from "./status.ts";
import { version } from "./version.ts";

const HELP = `lightkeeper-agent ${version}: keeps this host in its Nebula network.

  lightkeeper-agent enroll --server URL --code CODE   join, with a code from the console
  lightkeeper-agent run                               run nebula and follow the server
  lightkeeper-agent status [--json]                   what it is doing
  lightkeeper-agent unenroll [--yes]                  forget this host's keys
  lightkeeper-agent --version

  --state-dir DIR   where keys and configuration are kept (${DEFAULT_DIRECTORY})
  --nebula PATH     the nebula to run (the one on PATH); remembered by enroll
  --force           enroll: give up an earlier enrollment

Exit codes: 0 done, 1 failed, ${EXIT_USAGE} wrong usage, ${EXIT_NOT_ENROLLED} not enrolled, ${EXIT_NOT_RUNNING} enrolled but not running.
`;

const OPTIONS = {
  server: { type: "string" },
  code: { type: "string" },
  "state-dir": { type: "string" },
  nebula: { type: "string" },
  force: { type: "boolean" },
  json: { type: "boolean" },
  yes: { type: "boolean" },
  version: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** How long a running agent may take to stop its nebula. */
const PATIENCE_SECONDS = 20;

type Options = ReturnType<typeof readArguments>["values"];
type Command = (options: Options, directory: StateDirectory) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  enroll: enrollHost,
  run: runUntilStopped,
  status: showStatus,
  unenroll: unenrollHost,
  help: showHelp,
};

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  if (values.version) {
    print(version);
    return 0;
  }
  const [name = "help", ...rest] = values.help ? ["help"] : positionals;
  const command = commands[name];
  if (!command || rest.length > 0)
    throw new Failure(`Unknown command: ${positionals.join(" ")}\n\n${HELP}`, EXIT_USAGE);
  return command(values, new StateDirectory(resolve(values["state-dir"] ?? DEFAULT_DIRECTORY)));
}

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new Failure(`${sentenceOf(error)}\n\n${HELP}`, EXIT_USAGE);
  }
}

async function enrollHost(options: Options, directory: StateDirectory): Promise<number> {
  const { server, code, nebula = "nebula", force: isForced = false } = options;
  if (!server || !code) throw new Failure("enroll needs --server URL and --code CODE.", EXIT_USAGE);
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new Failure(`${server} is not the address of a server: it begins with https://`, EXIT_USAGE);
  if (url.protocol === "http:" && !isLoopback(url))
    process.stderr.write(
      `Warning: ${url.origin} is not encrypted: whoever is in between can pose as the server.\n`,
    );
  // A bare name is looked for on PATH at each start; a path must mean the same from anywhere.
  const path = nebula.includes("/") ? resolve(nebula) : nebula;
  const state = await enroll({ directory, server: url.origin, code, nebula: path, isForced });
  print(`Enrolled as ${describeEnrollment(state)}.`);
  const running = findRunning(directory);
  if (running === undefined) print("Start it with: lightkeeper-agent run");
  else process.kill(running, "SIGHUP");
  return 0;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

async function runUntilStopped(options: Options, directory: StateDirectory): Promise<number> {
  const stop = new AbortController();
  let reload: (() => void) | undefined;
  process.on("SIGTERM", () => stop.abort());
  process.on("SIGINT", () => stop.abort());
  process.on("SIGHUP", () => reload?.());
  await runAgent({
    directory,
    nebulaPath: options.nebula,
    stop: stop.signal,
    say: print,
    onReloadable: (work) => (reload = work),
  });
  return 0;
}

async function showStatus(options: Options, directory: StateDirectory): Promise<number> {
  const state = directory.peek();
  const isRunning = findRunning(directory) !== undefined;
  const status = isRunning ? readStatus(directory) : undefined;
  if (options.json) {
    const { server, hostID, organization, network, host, enrolledAt } = state ?? {};
    const enrollment = state ? { server, hostID, organization, network, host, enrolledAt } : null;
    print(JSON.stringify({ enrollment, isRunning, ...status }, undefined, 2));
  } else {
    print(state ? describeStatus(state, status, isRunning, new Date()) : "Not enrolled.");
  }
  if (!state) return EXIT_NOT_ENROLLED;
  return isRunning ? 0 : EXIT_NOT_RUNNING;
}

async function unenrollHost(options: Options, directory: StateDirectory): Promise<number> {
  const name = describeDirectory(directory);
  if (name === undefined) throw new Failure("Not enrolled: there is nothing to forget.", EXIT_NOT_ENROLLED);
  if (!options.yes && !(await confirm(`Forget the keys of ${name}? It leaves its network at once. [y/N] `)))
    return 1;
  const running = findRunning(directory);
  if (running !== undefined) await end(running, PATIENCE_SECONDS);
  await endOrphans(directory);
  directory.removeAll();
  print(
    `Forgotten: ${name}. Delete or block the host in the console too: others trust its certificate until then.`,
  );
  return 0;
}

/** A state that cannot be read can still be removed. */
function describeDirectory(directory: StateDirectory): string | undefined {
  try {
    const state = directory.peek();
    return state && describeEnrollment(state);
  } catch {
    return directory.directory;
  }
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Failure("Nobody is there to ask: unenroll --yes", EXIT_USAGE);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

async function showHelp(): Promise<number> {
  print(HELP.trimEnd());
  return 0;
}

function print(line: string): void {
  process.stdout.write(`${escapeText(line)}\n`);
}

function describe(error: unknown): string {
  if (error instanceof Failure) return error.message;
  if (codeOf(error) === "EACCES" || codeOf(error) === "EPERM") return `${sentenceOf(error)}. Are you root?`;
  // What we did not foresee needs to be found: with its place.
  return (error instanceof Error ? error.stack : undefined) ?? sentenceOf(error);
}

// Whoever read our output may be gone; that must not end the network.
process.stdout.on("error", () => undefined);

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`${escapeText(describe(error))}\n`);
    process.exit(error instanceof Failure ? error.exitCode : 1);
  },
);
