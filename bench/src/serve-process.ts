/** A `serve` process, with its CPU time and memory from /proc. Linux only. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "@lightkeeper/contract/durations";

/** Relative to the built benchmarks. */
const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  scripts: { start: string };
};
const READY_MS_MAX = 5 * MINUTE_MS;

export interface ServeProcess {
  url: string;
  /** CPU time of all threads since the start. */
  cpuSeconds: () => number;
  memory: () => { mebibytes: number; peakMebibytes: number };
  stop: () => Promise<void>;
  /** With SIGKILL. */
  kill: () => Promise<void>;
}

export interface ServeOptions {
  dataDir: string;
  port: number;
  environment?: Record<string, string>;
}

export async function serve({ dataDir, port, environment = {} }: ServeOptions): Promise<ServeProcess> {
  const logFile = join(dataDir, "serve.log");
  const log = openSync(logFile, "a");
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    DATA_DIR: dataDir,
    PORT: String(port),
    ...environment,
  };
  const [, start = ""] = scripts.start.split("node ");
  const child = spawn(process.execPath, start.split(" "), { cwd: ROOT, env, stdio: ["ignore", log, log] });
  closeSync(log);
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + READY_MS_MAX;
  const fail = (what: string) => new Error(`${what}:\n${readFileSync(logFile, "utf8").slice(-2000)}`);
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill("SIGKILL");
      throw fail("The server didn't start");
    }
    await sleep(20);
  }
  const runningID = () => {
    const ended = child.signalCode ?? child.exitCode;
    if (ended !== null) throw fail(`The server ended with ${ended}`);
    return child.pid;
  };
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exited;
  };
  return {
    url,
    cpuSeconds: () => cpuSecondsOf(runningID()),
    memory: () => memoryOf(runningID()),
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** In nanosecond resolution, unlike /proc/PID/stat. */
function cpuSecondsOf(pid: number | undefined): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e9;
}

function memoryOf(pid: number | undefined) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  return { mebibytes: read("VmRSS"), peakMebibytes: read("VmHWM") };
}
