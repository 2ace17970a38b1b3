/** One PostgreSQL for all server tests, with a migrated template that each test file copies. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createDatabase, createPool } from "../db/client.ts";
import { migrate } from "../db/migrate.ts";
import { startEmbeddedPostgres } from "../postgres/postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    templateURL: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-test-"));
  // As root the database runs under another account, which has to reach this directory.
  chmodSync(dataDir, 0o711);
  const cluster = await startEmbeddedPostgres({
    dataDir,
    database: "template",
    log: () => undefined,
    fast: true,
  });
  const db = createDatabase(createPool(cluster.connectionString, () => undefined));
  await migrate(db);
  await db.destroy();
  project.provide("templateURL", cluster.connectionString);
  return async () => {
    await cluster.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
