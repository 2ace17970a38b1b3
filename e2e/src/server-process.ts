/** Starts real `serve` processes. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SERVE = [join(ROOT, "server/dist/main.js"), "serve"];
export const DEMO = [join(ROOT, "server/dist/demo.js")];
const READY_SECONDS_MAX = 120;

export interface ServerProcess {
  url: string;
  dataDir: string;
  child: ChildProcess;
  /** The output so far. */
  output: () => string;
  /** Sends SIGINT; resolves with the exit code. */
  stop: () => Promise<number | null>;
  kill: () => Promise<void>;
}

export function temporaryDataDir(): { dataDir: string; remove: () => void } {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-e2e-"));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

export interface StartOptions {
  /** The program, with its arguments. */
  program?: readonly string[];
  dataDir: string;
  port?: number;
  environment?: Record<string, string>;
  /** How long the start may take. */
  readySeconds?: number;
}

/** Doesn't wait until the server is ready. */
export async function spawnServer({ program = SERVE, dataDir, port, environment = {} }: StartOptions) {
  const listenPort = port ?? (await freePort());
  const child = spawn(process.execPath, [...program], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: String(listenPort), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  return { child, exited, listenPort, output: () => printed };
}

export async function startServer(options: StartOptions): Promise<ServerProcess> {
  const { child, exited, listenPort, output } = await spawnServer(options);
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`The server didn't start:\n${output()}`);
    return output().includes("is ready:");
  };
  const { readySeconds: seconds = READY_SECONDS_MAX } = options;
  await until("the server is ready", isReady, { seconds, everyMs: 20 });
  return {
    url: `http://localhost:${listenPort}`,
    dataDir: options.dataDir,
    child,
    output,
    stop: () => {
      child.kill("SIGINT");
      return exited;
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
