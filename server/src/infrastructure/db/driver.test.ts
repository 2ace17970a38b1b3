/** Transactions are sent to the database with as few round trips as possible. */
import { type Kysely, sql, type Transaction } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { createDatabase } from "./client.ts";
import { executeAndCommit, executeWithNext } from "./driver.ts";
import { type ConnectionPool, createPool, REQUEST_LIMITS } from "./pool.ts";
import type { Tables } from "./tables.ts";

let database: TestDatabase;
let pool: ConnectionPool;
let db: Kysely<Tables>;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  pool = createPool({
    connectionString: database.url,
    limits: REQUEST_LIMITS,
    onError: () => undefined,
  });
  db = createDatabase(pool);
  await sql`create table notes (id int primary key, parent int references notes deferrable initially deferred)`.execute(
    db,
  );
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});
beforeEach(() => sql`delete from notes`.execute(db));

const insert = (id: number, parent: number | null = null) => sql`insert into notes values (${id}, ${parent})`;
const deferred = (tx: Transaction<Tables>, id: number) => ({ compile: () => insert(id).compile(tx) });
const listNotes = async () => (await sql<{ id: number }>`select id from notes order by id`.execute(db)).rows;

describe("a transaction", () => {
  it("is committed together with its last statement", async () => {
    await db.transaction().execute(async (tx) => {
      await insert(1).execute(tx);
      await executeAndCommit(tx, insert(2));
    });
    expect(await listNotes()).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it("may consist of its last statement only", async () => {
    await db.transaction().execute((tx) => executeAndCommit(tx, insert(1)));
    expect(await listNotes()).toEqual([{ id: 1 }]);
  });

  it("is rolled back if its last statement fails, and the connection is used again", async () => {
    const failing = db.transaction().execute(async (tx) => {
      await insert(1).execute(tx);
      await executeAndCommit(tx, insert(1));
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect(await listNotes()).toEqual([]);
    expect(pool.totalCount).toBe(pool.idleCount);
  });

  it("fails if only the commit fails", async () => {
    const failing = db.transaction().execute((tx) => executeAndCommit(tx, insert(1, 99)));
    await expect(failing).rejects.toMatchObject({ code: "23503" });
    expect(await listNotes()).toEqual([]);
  });

  it("is rolled back if its first statement fails", async () => {
    const failing = db.transaction().execute(async (tx) => {
      await insert(1).execute(tx);
      await insert(1).execute(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect(await listNotes()).toEqual([]);
  });

  it("without a statement sends nothing", async () => {
    await db.transaction().execute(async () => undefined);
    await expect(
      db.transaction().execute(async () => {
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await listNotes()).toEqual([]);
  });

  it("runs a deferred statement before the next one", async () => {
    await db.transaction().execute(async (tx) => {
      await executeWithNext(tx, deferred(tx, 1));
      expect((await sql<{ id: number }>`select id from notes`.execute(tx)).rows).toEqual([{ id: 1 }]);
      await executeWithNext(tx, deferred(tx, 2));
      await executeWithNext(tx, deferred(tx, 3));
      await executeAndCommit(tx, insert(4, 3));
    });
    expect(await listNotes()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
  });

  it("runs a deferred statement before the commit if none follows, and not before a rollback", async () => {
    await db.transaction().execute((tx) => executeWithNext(tx, deferred(tx, 1)));
    const failing = db.transaction().execute(async (tx) => {
      await executeWithNext(tx, deferred(tx, 2));
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    await insert(3).execute(db);
    expect(await listNotes()).toEqual([{ id: 1 }, { id: 3 }]);
  });

  it("is rolled back with the error of a deferred statement", async () => {
    const failing = db.transaction().execute(async (tx) => {
      await insert(1).execute(tx);
      await executeWithNext(tx, deferred(tx, 1));
      await insert(2).execute(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: "23505" });
    expect(await listNotes()).toEqual([]);
  });

  it("sends its first statement immediately, also if it is deferred", async () => {
    await db.transaction().execute(async (tx) => {
      await executeWithNext(tx, deferred(tx, 1));
      // Already sent, because only the first statement of a transaction can move to another connection.
      expect(
        (
          await sql`select from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`.execute(
            db,
          )
        ).rows,
      ).toHaveLength(1);
    });
    expect(await listNotes()).toEqual([{ id: 1 }]);
  });
});
