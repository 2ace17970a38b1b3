/** How long `serve` needs to start with an existing database, and its memory when nobody calls it. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@lightkeeper/e2e/dataplane";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";
import { createContext, migrateDatabase, readConfig } from "@lightkeeper/server/app";
import { createOwner, seed } from "@lightkeeper/server/seeds";
import { type Figure, median } from "./figure.ts";
import { serve } from "./serve-process.ts";

const HOSTS = 1000;
const ROUNDS = 5;
const IDLE_MS = 5000;
const START_SECONDS_LIMIT = 4;
const MEMORY_MEBIBYTES_LIMIT = 250;

async function fillDatabase(dataDir: string): Promise<void> {
  const database = await startEmbeddedPostgres({ dataDir, database: "lightkeeper", log: () => undefined });
  try {
    const { connectionString } = database;
    await migrateDatabase(connectionString);
    const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
    const ctx = createContext({ config, connectionString, version: "1.2.3" });
    const { organizationID } = await createOwner(ctx, { email: "owner@example.com", now: ctx.clock() });
    await seed(ctx, { organizationID, hosts: HOSTS, now: ctx.clock() });
    await ctx.dispose();
  } finally {
    await database.stop();
  }
}

/** The embedded PostgreSQL starts and stops with the server. */
async function startOnce(dataDir: string) {
  const port = await freePort();
  const startedAt = performance.now();
  const server = await serve({ dataDir, port });
  const seconds = (performance.now() - startedAt) / 1000;
  await sleep(IDLE_MS);
  const { mebibytes } = server.memory();
  await server.stop();
  return { seconds, mebibytes };
}

export async function startup(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  try {
    await fillDatabase(dataDir);
    const starts: Awaited<ReturnType<typeof startOnce>>[] = [];
    for (let round = 0; round < ROUNDS; round++) starts.push(await startOnce(dataDir));
    const seconds = starts.map((start) => start.seconds);
    const mebibytes = starts.map((start) => start.mebibytes);
    return [
      {
        what: `from starting the server until it is ready, with ${HOSTS} hosts`,
        detail: `with its PostgreSQL, median of ${ROUNDS}; ${Math.max(...seconds).toFixed(2)} s at most`,
        value: median(seconds),
        unit: " s",
        limit: START_SECONDS_LIMIT,
        limitIs: "at most",
      },
      {
        what: `memory of an idle server with ${HOSTS} hosts`,
        detail: `RSS ${IDLE_MS / 1000} s after the start, median of ${ROUNDS}; ${Math.max(...mebibytes).toFixed(0)} MiB at most`,
        value: median(mebibytes),
        unit: " MiB",
        limit: MEMORY_MEBIBYTES_LIMIT,
        limitIs: "at most",
      },
    ];
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
