/** Removes what a killed lab has left behind. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ConfigError } from "@lightkeeper/server/app";
import { deleteLabState, isRunning, readLabState } from "./commands.ts";

const NAMESPACES = "/run/netns";

const run = promisify(execFile);

async function removeNamespace(namespace: string): Promise<void> {
  const { stdout } = await run("ip", ["netns", "pids", namespace]);
  for (const pid of stdout.split("\n").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
  await run("ip", ["netns", "del", namespace]);
  rmSync(join("/etc/netns", namespace), { recursive: true, force: true });
}

/** The database of a killed server keeps running. */
function removeDatabase(dataDir: string): void {
  const file = join(dataDir, "postgres/postmaster.pid");
  if (existsSync(file)) process.kill(Number(readFileSync(file, "utf8").split("\n")[0]), "SIGQUIT");
  rmSync(dataDir, { recursive: true, force: true });
}

export async function removeLeftovers(stateFile: string): Promise<void> {
  const state = readLabState(stateFile);
  if (!state) return;
  if (isRunning(state)) throw new ConfigError("The lab is already running. Stop it with Ctrl-C first.");
  // The bridge of the machines has the same prefix, and so has a machine that was just being created.
  const prefix = Object.values(state.namespaces)[0]?.split("-")[0];
  const namespaces = existsSync(NAMESPACES) ? readdirSync(NAMESPACES) : [];
  for (const namespace of namespaces.filter((name) => prefix && name.startsWith(`${prefix}-`)))
    await removeNamespace(namespace).catch(() => undefined);
  removeDatabase(state.dataDir);
  deleteLabState(stateFile);
}
