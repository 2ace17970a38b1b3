/** The schema and its migrations match the reviewed files. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { describeSchema } from "../../testing/describe-schema.ts";
import { migrations } from "./migration-list.ts";

const DIRECTORY = join(import.meta.dirname, "migrations");

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const files = readdirSync(DIRECTORY).filter((name) => name.endsWith(".ts"));

it("matches schema.sql, which is reviewed; after a new migration: npm run schema", async () => {
  await expect(await describeSchema(database.url)).toMatchFileSnapshot("schema.sql");
});

it("runs every migration in the folder, in the order of the names; after a new migration: npm run schema", () => {
  expect(Object.keys(migrations)).toEqual(files.map((name) => name.replace(/\.ts$/, "")));
});

it("doesn't change merged migrations; after a new migration: npm run schema", async () => {
  const lines = files.map((name) => {
    const hash = createHash("sha256").update(readFileSync(join(DIRECTORY, name)));
    return `${hash.digest("hex")}  ${name}\n`;
  });
  await expect(lines.join("")).toMatchFileSnapshot("migrations/checksums.sha256");
});
