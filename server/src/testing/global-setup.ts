/** One PostgreSQL for all server tests, with a migrated template that each test file copies, and the built worker. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type { TestProject } from "vitest/node";
import { createDatabase } from "../infrastructure/db/client.ts";
import { createTestPool } from "./pool.ts";
import { migrate } from "../infrastructure/db/migrate.ts";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";

declare module "vitest" {
  interface ProvidedContext {
    templateURL: string;
    importWorkerFile: string;
  }
}

/** Node 20 cannot run a worker from TypeScript; built with its dependencies, it runs from anywhere. */
async function buildImportWorker(directory: string): Promise<string> {
  const outfile = join(directory, "import-worker.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "../features/import/import-worker.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: {
      js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);`,
    },
    logLevel: "warning",
  });
  return outfile;
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
  const db = createDatabase(createTestPool(cluster.connectionString));
  await migrate(db);
  await db.destroy();
  project.provide("templateURL", cluster.connectionString);
  project.provide("importWorkerFile", await buildImportWorker(dataDir));
  return async () => {
    await cluster.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
