/** Real `serve` processes, built from the current sources. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
const BUILD = `
  import { build } from "esbuild";
  import { serverBuild } from "./scripts/build.mjs";
  await build({ ...serverBuild("test"), outdir: process.argv[1] });`;
const READY_MS_MAX = 120_000;

export interface ServerBuild {
  folder: string;
  remove: () => void;
}

/** Builds inside the project, where Node.js finds the dependencies. */
export function buildServer(): ServerBuild {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(ROOT, ".cache/server-"));
  const args = ["--input-type=module", "-e", BUILD, folder];
  execFileSync(process.execPath, args, { cwd: ROOT });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

export interface ServerProcess {
  url: string;
  child: ChildProcess;
  /** Everything printed so far. */
  output: () => string;
  /** Resolves with the exit code when the process has ended; null after a kill. */
  exited: Promise<number | null>;
  kill: () => Promise<void>;
}

export interface ServerProcessOptions {
  build: ServerBuild;
  port: number;
  databaseURL: string;
  secretKey: string;
  environment?: Record<string, string>;
}

/** Resolves when the server is ready. */
export async function startServerProcess({
  build: { folder },
  port,
  databaseURL,
  secretKey,
  environment = {},
}: ServerProcessOptions): Promise<ServerProcess> {
  const child = spawn(process.execPath, [join(folder, "main.js"), "serve"], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: databaseURL,
      SECRET_KEY: secretKey,
      DATA_DIR: folder,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  const deadline = Date.now() + READY_MS_MAX;
  while (!/Lightkeeper \S+ is ready/.test(printed)) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`The server did not start:\n${printed}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return { url: `http://127.0.0.1:${port}`, child, output: () => printed, exited, kill };
}
