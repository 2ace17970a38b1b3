/** The command-line interface. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { escapeText } from "@lightkeeper/contract/characters";
import { enroll } from "./enroll.ts";
import {
  systemErrorCode,
  EXIT_NOT_ENROLLED,
  EXIT_NOT_RUNNING,
  EXIT_USAGE,
  AgentError,
  describeFailure,
  messageOf,
} from "./errors.ts";
import { findRunning } from "./lock.ts";
import { terminateOrphans } from "./adoption.ts";
import { terminate } from "./processes.ts";
import { runAgent } from "./run.ts";
import { DEFAULT_DIRECTORY, StateDirectory } from "./state.ts";
import { describeEnrollment, describeStatus, readStatus } from "./status.ts";
import { version } from "./version.ts";

const HELP = `lightkeeper-agent ${version}: manages Nebula on this host.

  lightkeeper-agent enroll --server URL --code CODE   Join a network with an enrollment code from the console
  lightkeeper-agent run                               Run Nebula and apply updates from the server
  lightkeeper-agent status [--json]                   Show the status of this host
  lightkeeper-agent unenroll [--yes]                  Leave the network and delete this host's keys
  lightkeeper-agent --version                         Show the version

  --state-dir DIR   Directory for keys and configuration (default: ${DEFAULT_DIRECTORY})
  --nebula PATH     Nebula program to run (default: nebula on PATH); saved by enroll
  --force           With enroll: replace an existing enrollment

Exit codes: 0 success, 1 error, ${EXIT_USAGE} invalid usage, ${EXIT_NOT_ENROLLED} not enrolled, ${EXIT_NOT_RUNNING} enrolled but not running.
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

/** How long a running agent may take to stop nebula. */
const TERMINATE_SECONDS = 20;

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
    throw new AgentError(`Unknown command: ${positionals.join(" ")}\n\n${HELP}`, EXIT_USAGE);
  return command(values, new StateDirectory(resolve(values["state-dir"] ?? DEFAULT_DIRECTORY)));
}

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new AgentError(`${messageOf(error)}\n\n${HELP}`, EXIT_USAGE);
  }
}

async function enrollHost(options: Options, directory: StateDirectory): Promise<number> {
  const { server, code, nebula = "nebula", force: isForced = false } = options;
  if (!server || !code) throw new AgentError("enroll requires --server URL and --code CODE.", EXIT_USAGE);
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new AgentError(
      `${server} isn't a valid server address. Enter one that starts with https://`,
      EXIT_USAGE,
    );
  if (url.protocol === "http:" && !isLoopback(url))
    process.stderr.write(
      `Warning: the connection to ${url.origin} isn't encrypted. Others on the path can impersonate the server.\n`,
    );
  // A bare name is looked up on PATH at each start; a path must not depend on the current directory.
  const path = nebula.includes("/") ? resolve(nebula) : nebula;
  const state = await enroll({ directory, server: url.origin, code, nebula: path, isForced });
  print(`Enrolled as ${describeEnrollment(state)}.`);
  const running = findRunning(directory);
  if (running === undefined) print("To start the agent: lightkeeper-agent run");
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
    print,
    onReloadable: (reloadAgent) => (reload = reloadAgent),
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
  if (name === undefined) throw new AgentError("Not enrolled. Nothing to remove.", EXIT_NOT_ENROLLED);
  const question = `Delete the keys of ${name}? The host leaves its network immediately. [y/N] `;
  if (!options.yes && !(await confirm(question))) return 1;
  const running = findRunning(directory);
  if (running !== undefined) await terminate(running, TERMINATE_SECONDS);
  await terminateOrphans(directory);
  directory.removeAll();
  print(
    `Removed ${name}. Also delete or block the host in the console: other hosts trust its certificate until then.`,
  );
  return 0;
}

/** An unreadable state can still be removed. */
function describeDirectory(directory: StateDirectory): string | undefined {
  try {
    const state = directory.peek();
    return state && describeEnrollment(state);
  } catch {
    return directory.directory;
  }
}

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new AgentError("Can't ask for confirmation without a terminal. Use unenroll --yes.", EXIT_USAGE);
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
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
  if (error instanceof AgentError) return describeFailure(error);
  if (systemErrorCode(error) === "EACCES" || systemErrorCode(error) === "EPERM")
    return `${messageOf(error)}. Run the command as root.`;
  // An unexpected error is printed with its stack, so that it can be found.
  return (error instanceof Error ? error.stack : undefined) ?? messageOf(error);
}

// The reader of our output may be gone; that must not stop nebula.
process.stdout.on("error", () => undefined);

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    process.stderr.write(`${escapeText(describe(error))}\n`);
    process.exit(error instanceof AgentError ? error.exitCode : 1);
  },
);
