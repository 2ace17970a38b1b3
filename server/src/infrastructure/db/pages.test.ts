import fc from "fast-check";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../testing/database.ts";
import { createDatabase } from "./client.ts";
import { createTestPool } from "../../testing/pool.ts";
import { type Order, page, type Page } from "./pages.ts";
import type { Tables } from "./tables.ts";

interface Row {
  id: string;
  created_at: Date;
}

let database: TestDatabase;
let db: Kysely<Tables>;
let lists = 0;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(createTestPool(database.url));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** Creates an organization with a role for each creation time, which may occur several times. */
async function listOf(moments: number[]): Promise<string> {
  const organizationID = `org-${++lists}`;
  const now = new Date(1_700_000_000_000);
  await db
    .insertInto("organizations")
    .values({ id: organizationID, name: "List", plan: "free", wanted_plan: null, created_at: now })
    .execute();
  const rows = moments.map((moment, index) => ({
    id: `role-${lists}-${(index * 7919) % 1000}`,
    organization_id: organizationID,
    name: `Role ${index}`,
    description: "",
    firewall_rules: "[]",
    created_at: new Date(now.getTime() + moment),
    modified_at: now,
  }));
  if (rows.length) await db.insertInto("roles").values(rows).execute();
  return organizationID;
}

const orderOf = (descending: boolean): Order<Row> => ({
  keys: [
    { column: "created_at", kind: "instant", of: (row) => row.created_at.toISOString() },
    { column: "id", kind: "text", of: (row) => row.id },
  ],
  descending,
});

interface Walk {
  organizationID: string;
  descending: boolean;
  pageSizes: number[];
  total: number;
}

const read = (
  { organizationID, descending, total }: Walk,
  pageSize: number,
  cursor?: string,
): Promise<Page<Row>> =>
  page(
    db.selectFrom("roles").select(["id", "created_at"]).where("organization_id", "=", organizationID),
    orderOf(descending),
    { pageSize, cursor, includeCounts: true },
    () => Promise.resolve(total),
  );

const sizes = function* (pageSizes: number[]): Generator<number> {
  for (;;) yield* pageSizes;
};

async function walk(list: Walk): Promise<{ forwards: Row[]; backwards: Row[]; last: Page<Row> }> {
  const next = sizes(list.pageSizes);
  const size = (): number => next.next().value as number;
  const forwards: Row[] = [];
  let current = await read(list, size());
  for (;;) {
    expect(current.metadata.page).toEqual({ start: forwards.length, count: current.rows.length });
    forwards.push(...current.rows);
    if (!current.metadata.hasNextPage) break;
    current = await read(list, size(), current.metadata.nextCursor);
  }
  const last = current;
  const backwards: Row[] = [...last.rows].reverse();
  while (current.metadata.hasPrevPage && current.metadata.prevCursor) {
    current = await read(list, size(), current.metadata.prevCursor);
    expect(current.metadata.hasNextPage).toBe(true);
    backwards.push(...[...current.rows].reverse());
  }
  expect(current.metadata.page?.start).toBe(0);
  return { forwards, backwards, last };
}

describe("reading a list page by page", () => {
  it("returns every row once, in order, forward and backward, with any page sizes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (moments, pageSizes, descending) => {
          const organizationID = await listOf(moments);
          const all = await db
            .selectFrom("roles")
            .select(["id", "created_at"])
            .where("organization_id", "=", organizationID)
            .execute();
          const sorted = all.sort(
            (a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1),
          );
          if (descending) sorted.reverse();
          const { forwards, backwards } = await walk({
            organizationID,
            descending,
            pageSizes,
            total: moments.length,
          });
          expect(forwards).toEqual(sorted);
          expect(backwards.reverse()).toEqual(sorted);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("skips and repeats no row if rows are added before and after the current page", async () => {
    const organizationID = await listOf([10, 20, 30, 40]);
    const list = { organizationID, descending: false, pageSizes: [2], total: 4 };
    const first = await read(list, 2);
    const insert = (id: string, moment: number) =>
      db
        .insertInto("roles")
        .values({
          id,
          organization_id: organizationID,
          name: id,
          description: "",
          firewall_rules: "[]",
          created_at: new Date(1_700_000_000_000 + moment),
          modified_at: new Date(),
        })
        .execute();
    await insert("role-before", 5);
    await insert("role-behind", 35);
    const second = await read(list, 5, first.metadata.nextCursor);
    expect(second.rows.map(({ created_at }) => created_at.getTime() % 1000)).toEqual([30, 35, 40]);
  });
});
