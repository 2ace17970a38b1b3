import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  haveAllExited,
  clusterPids,
  stopProgram,
  installProgram,
  killEverything,
  postmasterPid,
  query,
  removeTemporaryDirectories,
  start,
  startProgram,
  stopStarted,
  temporaryDirectory,
  waitFor,
  type StartResult,
} from "./testing.ts";

let program: string;
/** A data directory with a stopped cluster. */
let stoppedDataDir: string;

async function timed<Value>(work: () => Promise<Value>): Promise<[Value, number]> {
  const startedAt = performance.now();
  return [await work(), performance.now() - startedAt];
}

function responds({ connectionString }: StartResult): Promise<boolean> {
  return query(connectionString, "select 1").then(
    () => true,
    () => false,
  );
}

beforeAll(async () => {
  program = await installProgram(await temporaryDirectory());
  stoppedDataDir = await temporaryDirectory();
  await (await start(stoppedDataDir)).stop();
});
afterEach(stopStarted);
afterAll(removeTemporaryDirectories);

describe("start and stop", () => {
  it("creates a durable UTF-8 cluster that listens on a private socket only", async () => {
    const { connectionString } = await start(await temporaryDirectory(), false);
    const names = ["fsync", "synchronous_commit", "full_page_writes", "data_checksums", "listen_addresses"];
    const settings = await query(
      connectionString,
      `select name, setting from pg_settings where name = any('{${names.join()},max_connections,server_encoding}')`,
    );
    expect(Object.fromEntries(settings.map((row) => Object.values(row)))).toEqual({
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      data_checksums: "on",
      listen_addresses: "",
      max_connections: "200",
      server_encoding: "UTF8",
    });
    expect(
      await query(
        connectionString,
        "select datlocprovider, datlocale from pg_database where datname = 'lightkeeper'",
      ),
    ).toEqual([{ datlocprovider: "b", datlocale: "C.UTF-8" }]);
    const socketDirectory = new URL(connectionString).searchParams.get("host") ?? "";
    expect((await stat(socketDirectory)).mode & 0o777).toBe(0o700);
  });

  it("keeps the data after a restart, which is faster than the first start", async () => {
    const dataDir = await temporaryDirectory();
    const [first, firstMs] = await timed(() => start(dataDir));
    await query(first.connectionString, "create table kept as select 42 as result");
    await first.stop();
    const [second, secondMs] = await timed(() => start(dataDir));
    expect(await query(second.connectionString, "select result from kept")).toEqual([{ result: 42 }]);
    expect(second.connectionString).toBe(first.connectionString);
    expect(secondMs).toBeLessThan(firstMs);
  });

  it("truncates a large log", async () => {
    const log = join(stoppedDataDir, "postgres.log");
    await writeFile(log, "x".repeat(11 * 1024 * 1024));
    await start(stoppedDataDir);
    expect((await stat(log)).size).toBeLessThan(1024 * 1024);
  });

  it("leaves no process behind, and can be stopped twice", async () => {
    const postgres = await start(stoppedDataDir);
    const pids = await clusterPids(postgres);
    await Promise.all([postgres.stop(), postgres.stop()]);
    await waitFor(() => haveAllExited(pids), 1_000);
    expect(await responds(postgres)).toBe(false);
  });

  it("doesn't keep an idle process alive", async () => {
    const { child, result } = startProgram(program, stoppedDataDir, { mode: "idle" });
    const { dataDirectory } = await result;
    if (child.exitCode === null) await once(child, "close");
    expect(child.exitCode).toBe(0);
    await start(dirname(dataDirectory));
  });

  it("works in a directory whose path is too long for a socket, with any characters", async () => {
    const dataDir = join(await temporaryDirectory(), `a "quoted", 100 % föhn ${"x".repeat(100)}`);
    const first = await start(dataDir);
    expect(await query(first.connectionString, "select current_database() as name")).toEqual([
      { name: "lightkeeper" },
    ]);
    const socketDirectory = new URL(first.connectionString).searchParams.get("host") ?? "";
    await first.stop();

    await rm(socketDirectory, { recursive: true });
    await symlink(await temporaryDirectory(), socketDirectory);
    await expect(start(dataDir)).rejects.toThrow(`${socketDirectory} must be a directory that only the user`);
    await rm(socketDirectory);
    await mkdir(socketDirectory);
    await chmod(socketDirectory, 0o777);
    let calls = 0;
    const impostor = createServer(() => calls++).listen(join(socketDirectory, ".s.PGSQL.5432"));
    await once(impostor, "listening");
    await expect(start(dataDir)).rejects.toThrow(`${socketDirectory} must be a directory that only the user`);
    impostor.close();
    expect(calls).toBe(0);
    await rm(socketDirectory, { recursive: true });
    expect(dirname(socketDirectory)).toBe(tmpdir());
  });
});

describe("recovery", () => {
  it("has all committed data after every process was killed", async () => {
    const { child, result } = startProgram(program, stoppedDataDir, { mode: "durable" });
    const before = await result;
    await query(before.connectionString, "create table kept as select generate_series(1, 1000)");
    await killEverything(child, before);
    const { connectionString } = await start(stoppedDataDir);
    expect(await query(connectionString, "select count(*)::int from kept")).toEqual([{ count: 1000 }]);
  });

  it("uses a running cluster whose parent was killed", async () => {
    const { child, result } = startProgram(program, stoppedDataDir);
    const orphan = await result;
    const pid = await postmasterPid(orphan.dataDirectory);
    await stopProgram(child, "SIGKILL");
    const adopted = await start(stoppedDataDir);
    expect(await postmasterPid(adopted.dataDirectory)).toBe(pid);
    expect(adopted.connectionString).toBe(orphan.connectionString);
    await adopted.stop();
    await waitFor(() => haveAllExited([pid]), 1_000);
  });

  it("starts although another process has the ID of a dead server", async () => {
    const { child, result } = startProgram(program, stoppedDataDir);
    const { connectionString, dataDirectory } = await result;
    await killEverything(child, { connectionString, dataDirectory });

    const { uid, gid } = await stat(dataDirectory);
    const other = spawn("sleep", ["60"], { uid, gid, stdio: "ignore" });
    const socketDirectory = new URL(connectionString).searchParams.get("host") ?? "";
    for (const file of [join(dataDirectory, "postmaster.pid"), join(socketDirectory, ".s.PGSQL.5432.lock")]) {
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace(/^\d+/, String(other.pid)));
    }
    try {
      expect(await responds(await start(stoppedDataDir))).toBe(true);
      expect(other.exitCode).toBeNull();
    } finally {
      other.kill();
    }
  });

  it("starts after another start was killed during initdb", async () => {
    const dataDir = await temporaryDirectory();
    const { child } = startProgram(program, dataDir);
    const isBeingCreated = async () =>
      (await readdir(dataDir)).some((name) => name.startsWith("postgres.part-"));
    await waitFor(isBeingCreated, 5_000);
    await stopProgram(child, "SIGKILL");
    expect(await isBeingCreated()).toBe(true);
    expect(await responds(await start(dataDir))).toBe(true);
    expect(await isBeingCreated()).toBe(false);
  });

  it("starts a killed cluster again automatically, even if another process started it", async () => {
    const { child, result } = startProgram(program, stoppedDataDir);
    await result;
    await stopProgram(child, "SIGKILL");
    const adopted = await start(stoppedDataDir);
    await query(adopted.connectionString, "create table survived as select 42 as result");
    await query(adopted.connectionString, "checkpoint");
    for (let round = 0; round < 2; round++) {
      const killed = await postmasterPid(adopted.dataDirectory);
      process.kill(killed, "SIGKILL");
      const isReplaced = async () =>
        (await postmasterPid(adopted.dataDirectory).catch(() => killed)) !== killed;
      expect(await waitFor(async () => (await isReplaced()) && responds(adopted), 5_000)).toBeLessThan(2_000);
    }
    expect(await query(adopted.connectionString, "select result from survived")).toEqual([{ result: 42 }]);
  });

  it("doesn't restart a cluster that it has stopped", async () => {
    const postgres = await start(stoppedDataDir);
    process.kill(await postmasterPid(postgres.dataDirectory), "SIGKILL");
    await postgres.stop();
    await sleep(500);
    expect(await responds(postgres)).toBe(false);
  });
});

describe("several processes on one data directory", () => {
  it("share one cluster if they start at the same time, and the last process stops it", async () => {
    const dataDir = await temporaryDirectory();
    const others = [startProgram(program, dataDir), startProgram(program, dataDir)];
    const [own, ...theirs] = await Promise.all([start(dataDir), ...others.map(({ result }) => result)]);
    const pid = await postmasterPid(own.dataDirectory);
    for (const { connectionString } of theirs) expect(connectionString).toBe(own.connectionString);

    await own.stop();
    for (const { child } of others) {
      expect(await responds(own)).toBe(true);
      await stopProgram(child);
    }
    expect(await responds(own)).toBe(false);
    await waitFor(() => haveAllExited([pid]), 1_000);
  });
});
