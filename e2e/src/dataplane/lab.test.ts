/** `npm run lab` in a terminal: its hosts reach each other, and Ctrl-C removes everything. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, it, onTestFinished } from "vitest";
import { freePort } from "../free-port.ts";
import { temporaryDataDir } from "../server-process.ts";
import { PATIENT } from "../steps.ts";
import { until } from "../until.ts";
import { sh } from "./shell.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const LAB = join(ROOT, "scripts/lab.mjs");
const STATE = join(ROOT, ".cache/lab/state.json");
const START_SECONDS_MAX = 150;

interface LabState {
  dataDir: string;
  namespaces: Record<string, string>;
}

interface RunningLab {
  waitFor: (text: string) => Promise<unknown>;
  /** Signals all processes of the terminal, and returns the exit code. */
  pressCtrlC: () => Promise<number | null>;
  output: () => string;
  temporaryDirectory: string;
}

let stopLab: (() => Promise<void>) | undefined;
afterEach(() => stopLab?.());

async function startLab(path = process.env.PATH): Promise<RunningLab> {
  const { dataDir: temporaryDirectory, remove } = temporaryDataDir();
  const child = spawn(process.execPath, [LAB], {
    detached: true,
    env: { PATH: path, PORT: String(await freePort()), TMPDIR: temporaryDirectory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const exited = once(child, "exit") as Promise<[number | null]>;
  const pressCtrlC = async () => {
    if (child.exitCode === null) process.kill(-child.pid!, "SIGINT");
    const [code] = await exited;
    return code;
  };
  stopLab = async () => {
    await pressCtrlC();
    remove();
  };
  const waitFor = (text: string) =>
    until(
      `the lab prints ${text}`,
      () => {
        if (child.exitCode !== null) throw new Error(`The lab has stopped:\n${printed}`);
        return printed.includes(text);
      },
      { seconds: START_SECONDS_MAX },
    );
  return { waitFor, pressCtrlC, output: () => printed, temporaryDirectory };
}

/** Returns the output of a command on a host, as `npm run lab -- exec` prints it. */
const execute = (host: string, ...command: string[]) =>
  sh(process.execPath, LAB, "exec", host, "--", ...command);

const readState = () => JSON.parse(readFileSync(STATE, "utf8")) as LabState;
const prefixOf = ({ namespaces }: LabState) => Object.values(namespaces)[0]!.split("-")[0]!;

async function listNamespaces(prefix: string): Promise<string[]> {
  const names = (await sh("ip", "netns", "list")).split("\n").map((line) => line.split(" ")[0] ?? "");
  return names.filter((name) => name.startsWith(`${prefix}-`));
}

/** The processes on all hosts, and the database. */
async function listProcesses({ namespaces, dataDir }: LabState): Promise<number[]> {
  const onHosts = Object.values(namespaces).map((namespace) => sh("ip", "netns", "pids", namespace));
  const pids = (await Promise.all(onHosts)).flatMap((lines) => lines.split("\n").filter(Boolean));
  const [database] = readFileSync(join(dataDir, "postgres/postmaster.pid"), "utf8").split("\n");
  return [...pids, database].map(Number);
}

/** A process that has ended may still be listed as a zombie. */
function isRunning(pid: number): boolean {
  const file = `/proc/${pid}/status`;
  return existsSync(file) && !readFileSync(file, "utf8").includes("State:\tZ");
}

async function expectNothingLeft(lab: RunningLab, prefix: string, pids: readonly number[]): Promise<void> {
  expect(await listNamespaces(prefix)).toEqual([]);
  const folders = existsSync("/etc/netns") ? readdirSync("/etc/netns") : [];
  expect(folders.filter((name) => name.startsWith(prefix))).toEqual([]);
  await expect.poll(() => pids.filter(isRunning), PATIENT).toEqual([]);
  expect(readdirSync(lab.temporaryDirectory)).toEqual([]);
  expect(existsSync(STATE)).toBe(false);
}

it("connects eight hosts, until Ctrl-C removes them", async () => {
  const lab = await startLab();
  await lab.waitFor("All hosts are connected.");
  const state = readState();
  expect(await listNamespaces(prefixOf(state))).toHaveLength(10);
  expect(await execute("laptop-1", "ping", "-c", "1", "-W", "10", "web-1")).toContain("1 received");
  await expect(execute("nowhere", "ping", "web-1")).rejects.toThrow("There is no host nowhere.");
  const pids = await listProcesses(state);
  expect(pids.length).toBeGreaterThan(2 * 8);
  expect(await lab.pressCtrlC()).toBe(0);
  await expectNothingLeft(lab, prefixOf(state), pids);
  await expect(execute("laptop-1", "true")).rejects.toThrow("The lab isn't running.");
});

it("stops without an error while it creates its hosts", async () => {
  const lab = await startLab();
  await lab.waitFor("relay-1");
  const state = readState();
  const pids = await listProcesses(state);
  expect(await lab.pressCtrlC()).toBe(0);
  expect(lab.output()).not.toContain("couldn't be started");
  await expectNothingLeft(lab, prefixOf(state), pids);
});

/** Returns a PATH with an `ip` that creates this namespace, writes its full name to a file, and doesn't end. */
function stallAfterCreating(namespace: string): { path: string; created: string; remove: () => void } {
  const { dataDir: folder, remove } = temporaryDataDir();
  const created = join(folder, "created");
  const stall = `case "$*" in "netns add lk"*-${namespace}) echo "$3" > ${created}; exec sleep 600;; esac`;
  const program = `#!/bin/sh\nPATH=${process.env.PATH}\nip "$@" || exit\n${stall}\n`;
  writeFileSync(join(folder, "ip"), program, { mode: 0o755 });
  return { path: `${folder}:${process.env.PATH}`, created, remove };
}

it.each(["switch", "router-1"])("removes the namespace of %s if Ctrl-C ends its creation", async (name) => {
  const { path, created, remove } = stallAfterCreating(name);
  onTestFinished(remove);
  const lab = await startLab(path);
  await until(`${name} is created`, () => existsSync(created), { seconds: START_SECONDS_MAX });
  const [prefix] = readFileSync(created, "utf8").split("-");
  const pids = await listProcesses(readState());
  expect(await lab.pressCtrlC()).toBe(0);
  expect(lab.output()).not.toContain("couldn't be started");
  await expectNothingLeft(lab, prefix!, pids);
});
