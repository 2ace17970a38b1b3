import { sql } from "kysely";
import { afterEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { createDatabase } from "./client.ts";
import { createTestPool } from "../../testing/pool.ts";
import { migrate } from "./migrate.ts";
import { migrations } from "./migration-list.ts";

const databases: TestDatabase[] = [];
async function empty(): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  databases.push(database);
  return database;
}
afterEach(async () => {
  for (const database of databases.splice(0)) await database.drop();
});

async function run(url: string, through?: string): Promise<string[]> {
  const db = createDatabase(createTestPool(url));
  try {
    return await migrate(db, through === undefined ? {} : { through });
  } finally {
    await db.destroy();
  }
}

/** Every column, index and constraint, as the database describes them. */
async function schemaOf(url: string): Promise<unknown[]> {
  const db = createDatabase(createTestPool(url));
  try {
    const columns = await sql`select table_name, column_name, data_type, is_nullable, column_default
      from information_schema.columns where table_schema = 'public' order by 1, 2`.execute(db);
    const indexes = await sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`.execute(
      db,
    );
    const constraints = await sql`select conrelid::regclass::text, pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2`.execute(db);
    return [columns.rows, indexes.rows, constraints.rows];
  } finally {
    await db.destroy();
  }
}

const names = Object.keys(migrations);

it("migrates an empty database to the newest version, and does nothing the second time", async () => {
  const { url } = await empty();
  expect(await run(url)).toEqual(names);
  const shape = await schemaOf(url);
  expect(await run(url)).toEqual([]);
  expect(await schemaOf(url)).toEqual(shape);
});

it("migrates once if two servers start at the same time", async () => {
  const { url } = await empty();
  const done = await Promise.all([run(url), run(url), run(url)]);
  expect(done.flat()).toEqual(names);
});

it.each(names)("migrates a database at %s to the same schema", async (through) => {
  const [whole, stepwise] = [await createTestDatabase(), await empty()];
  databases.push(whole);
  await run(stepwise.url, through);
  await run(stepwise.url);
  expect(await schemaOf(stepwise.url)).toEqual(await schemaOf(whole.url));
});

it("numbers migrations consecutively", () => {
  expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1));
});
