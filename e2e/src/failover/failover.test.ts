/** Three servers on a database that fails over, and what a kill of their processes does. In short: see main.ts. */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { createNetwork, listNetworks, streamEvents } from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { killPrimary, killServer } from "./faults.ts";
import type { ManagedProcess } from "./managed-process.ts";
import { createPooledServer, createPooler, poolerURL } from "./pooler.ts";
import { finishLoad, type Load, runFault, startLoad } from "./story.ts";
import { createSystem, type System } from "./system.ts";

let system: System;
let load: Load;
beforeAll(async () => {
  system = createSystem({ isFast: true });
  await system.startAll();
  load = await startLoad(system, { agents: 50, writers: 5, readers: 2 });
});
afterAll(() => system.stopAll());

it("nothing is lost or done twice when a server and the primary are killed", async () => {
  for (const fault of [killServer(1), killPrimary]) {
    const { unexpected, writes } = await runFault(system, load, fault);
    expect(unexpected).toEqual([]);
    expect(writes.succeeded).toBeGreaterThan(0);
  }
  const { counts, ...verification } = await finishLoad(system, load);
  expect(verification).toEqual({ lost: [], duplicated: [], enrolledAgain: [] });
  expect(Math.min(counts.hosts, counts.jobs, counts.notifications)).toBeGreaterThan(0);
});

it("a primary that was paused does not take the lock from its successor", async () => {
  const [first, second] = ([1, 2] as const).map((machine) => {
    const file = join(system.folder, `lock${machine}.yml`);
    // Beside the lock of the running cluster.
    const replacements = [["scope: lightkeeper", "scope: paused"]] as const;
    writeFileSync(file, system.deployment.render("patroni.yml", { machine, replacements }));
    return file;
  });
  const program = join(import.meta.dirname, "paused_primary.py");
  const { stdout } = await promisify(execFile)("/usr/bin/python3", [program, first!, second!]);
  expect(stdout.trim()).toBe("postgres2");
});

describe("PgBouncer in transaction mode", () => {
  let pooler: ManagedProcess | undefined;
  const startPooler = async (replacements: (readonly [string, string])[] = []) => {
    await pooler?.end();
    pooler = createPooler(system, { replacements });
    await pooler.start();
  };
  afterAll(() => pooler?.end());
  const direct = () => ({ DATABASE_DIRECT_URL: system.databaseURL });
  const pooled = () => ({ DATABASE_URL: poolerURL(system) });

  it("serves requests and changes with a direct URL", async () => {
    await startPooler();
    const { url, process } = createPooledServer(system, { ...pooled(), ...direct() });
    await process.start();
    try {
      const call = load.organization.clientFor(url);
      const stream = await call(streamEvents);
      const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
      const network = await load.organization.call(createNetwork, { body: { name: "Made elsewhere" } });
      let received = "";
      while (!received.includes(network.id)) received += (await reader.read()).value;
      const requests = Array.from({ length: 40 }, (_, index) =>
        call(createNetwork, { body: { name: `Pooled ${index}` } }),
      );
      await Promise.all(requests);
      expect((await call(listNetworks, { query: { pageSize: 500 } })).data).toHaveLength(43);
    } finally {
      await process.end();
    }
  });

  const expectRefused = async (urls: Record<string, string>, message: string) => {
    const { process } = createPooledServer(system, urls);
    process.spawn();
    try {
      await until("the server exits", () => !process.isRunning);
      expect(await process.waitForExit()).toBe(1);
      expect(process.output()).toContain(message);
    } finally {
      await process.end();
    }
  };

  it("is refused without a direct URL, and the message says what to set", async () => {
    const message =
      "DATABASE_URL leads to a connection pooler, such as PgBouncer in transaction mode. Also set";
    await startPooler();
    await expectRefused(pooled(), message);
    const ignoring = [
      "pool_mode",
      "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout\npool_mode",
    ] as const;
    await startPooler([ignoring]);
    await expectRefused(pooled(), message);
    await expectRefused(
      { ...pooled(), DATABASE_DIRECT_URL: poolerURL(system) },
      "DATABASE_DIRECT_URL leads to a connection pooler.",
    );
  });

  it("is refused without the limits of Lightkeeper, and the message says what to add", async () => {
    await startPooler([["set lock_timeout = 10000; ", ""]]);
    await expectRefused(
      { ...pooled(), ...direct() },
      "connect_query='set statement_timeout = 15000; set lock_timeout = 10000; set idle_in_transaction_session_timeout = 10000'",
    );
  });
});
