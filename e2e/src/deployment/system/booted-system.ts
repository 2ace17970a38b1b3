/** A Debian system with a real systemd, in namespaces of its own. Needs root on Linux. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "../../until.ts";
import { unpackBaseSystem } from "./base-system.ts";

const run = promisify(execFile);
const BOOT = join(import.meta.dirname, "boot-system.sh");

export interface BootedSystem {
  /** The root directory, as this machine sees it. */
  root: string;
  /** Runs a shell script as root in the system and returns its output; throws an error with it if it fails. */
  run: (script: string) => Promise<string>;
  stop: () => Promise<void>;
}

function createControlGroup(): string {
  const mounts = readFileSync("/proc/mounts", "utf8");
  const hierarchy = /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1];
  if (hierarchy === undefined) throw new Error("This machine has no control groups of version 2.");
  const group = join(hierarchy, `lightkeeper-test-${process.pid}-${Date.now()}`);
  mkdirSync(group);
  return group;
}

/** Control groups contain files that can't be removed, so only their directories are. */
function removeControlGroup(group: string): void {
  const folders = execFileSync("find", [group, "-depth", "-type", "d"], { encoding: "utf8" });
  for (const folder of folders.trim().split("\n")) rmdirSync(folder);
}

export async function bootSystem(): Promise<BootedSystem> {
  const root = unpackBaseSystem();
  const group = createControlGroup();
  // The system ends with this process, also if that is killed.
  const boot = `echo $$ >"${group}/cgroup.procs" && exec setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child --uts --ipc --cgroup sh "${BOOT}" "${root}"`;
  const child = spawn("sh", ["-c", boot], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const findInit = () => {
    if (child.exitCode !== null) throw new Error(`The system didn't start:\n${errors}`);
    return readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
  };
  const enter = async (script: string) => {
    const args = ["--target", findInit(), "--all", "--root", "--wd", "--", "bash", "-euo", "pipefail", "-c"];
    const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root", DEBIAN_FRONTEND: "noninteractive" };
    const { stdout } = await run("nsenter", [...args, script], { env, maxBuffer: 2 ** 26 }).catch(
      (error: { stdout: string; stderr: string }) => {
        throw new Error(`${script}\nfailed:\n${error.stdout}\n${error.stderr}`);
      },
    );
    return stdout;
  };
  await until("systemd has started", async () => {
    if (findInit() === "") return false;
    const state = await enter("systemctl is-system-running || true").catch(() => "");
    return /running|degraded/.test(state);
  });
  return {
    root,
    run: enter,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
      await until("all processes have ended", () =>
        readFileSync(`${group}/cgroup.events`, "utf8").includes("populated 0"),
      );
      removeControlGroup(group);
      rmSync(root, { recursive: true });
    },
  };
}
