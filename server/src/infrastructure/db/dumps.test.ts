/** There is a dump for every migration state. See testing/README.md. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { describeSchema } from "../../testing/describe-schema.ts";
import { createMissingDumps } from "../../testing/dumps/create-dumps.ts";
import { listDumpedStates, readDump, restoreDump } from "../../testing/dumps/dump-files.ts";
import { withConnection } from "../../testing/transfer-fixtures.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migration-list.ts";

const states = Object.keys(migrations);

/** The schemas of all states. */
const schemas = new Map<string, string>();
let database: TestDatabase;
beforeAll(async () => {
  if (process.env.WRITE_DUMPS) await createMissingDumps();
  database = await createTestDatabase({ empty: true });
  for (const state of states) {
    await withConnection(database.url, (db) => migrate(db, { through: state }));
    schemas.set(state, await describeSchema(database.url));
  }
}, 120_000);
afterAll(() => database.drop());

it("dumps exist for every migration state; after a new migration: npm run dump", () => {
  expect(listDumpedStates()).toEqual(states);
});

it.each(states)("a dump has the schema of %s", async (state) => {
  const restored = await restoreDump(readDump(state));
  try {
    expect(await describeSchema(restored.url)).toBe(schemas.get(state));
  } finally {
    await restored.drop();
  }
});

it("the newest dump has rows in every table at the newest state, filled through the API", () => {
  const { facts } = readDump(states.at(-1) ?? "");
  expect(facts.migratedFrom).toBeUndefined();
  expect(Object.entries(facts.counts).filter(([, count]) => count === 0)).toEqual([]);
});
