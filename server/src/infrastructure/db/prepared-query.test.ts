import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { createDatabase } from "./client.ts";
import { createPool, REQUEST_LIMITS } from "./pool.ts";
import { prepareQueries, prepareQuery } from "./prepared-query.ts";
import type { Tables } from "./tables.ts";

let database: TestDatabase;
let db: Kysely<Tables>;
beforeAll(async () => {
  database = await createTestDatabase();
  const onError = () => undefined;
  db = createDatabase(createPool({ connectionString: database.url, limits: REQUEST_LIMITS, onError }));
  const row = { plan: "free", created_at: new Date() } as const;
  await db
    .insertInto("organizations")
    .values([
      { id: "org-A", name: "First", ...row },
      { id: "org-B", name: "Second", ...row },
    ])
    .execute();
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

it("is built once, and run with the values of each call", async () => {
  let builds = 0;
  const selectNames = prepareQuery((reader, { id, name }: { id: string; name: string }) => {
    builds++;
    return reader
      .selectFrom("organizations")
      .select("name")
      .where((eb) => eb.or([eb("id", "=", id), eb("name", "=", name), eb("name", "=", "None")]))
      .orderBy("id");
  });
  expect(await selectNames(db, { id: "org-A", name: "" })).toEqual([{ name: "First" }]);
  expect(await selectNames(db, { id: "org-B", name: "First" })).toEqual([
    { name: "First" },
    { name: "Second" },
  ]);
  const inTransaction = await db.transaction().execute((tx) => selectNames(tx, { id: "org-C", name: "" }));
  expect(inTransaction).toEqual([]);
  expect(builds).toBe(1);
});

it("is built once for each shape", async () => {
  const built: string[] = [];
  const selectIDs = prepareQueries((reader, order: { isDescending: boolean }, { id }: { id: string }) => {
    built.push(JSON.stringify(order));
    return reader
      .selectFrom("organizations")
      .select("id")
      .where("id", "!=", id)
      .orderBy("id", order.isDescending ? "desc" : "asc");
  });
  const select = async (isDescending: boolean, id: string) =>
    (await selectIDs(db, { isDescending }, { id })).map((row) => row.id);
  expect(await select(false, "")).toEqual(["org-A", "org-B"]);
  expect(await select(true, "")).toEqual(["org-B", "org-A"]);
  expect(await select(false, "org-A")).toEqual(["org-B"]);
  expect(await select(true, "org-A")).toEqual(["org-B"]);
  expect(built).toEqual(['{"isDescending":false}', '{"isDescending":true}']);
});

it("can't depend on a value when it is built", async () => {
  const select = prepareQuery((reader, { now }: { now: Date }) =>
    reader
      .selectFrom("organizations")
      .select("id")
      .where("created_at", "<", new Date(now.getTime() - 1)),
  );
  await expect(select(db, { now: new Date() })).rejects.toThrow("now.getTime is not a function");
});
