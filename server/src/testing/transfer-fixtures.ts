import { PassThrough } from "node:stream";
import { type Kysely, sql } from "kysely";
import { createDatabase } from "../infrastructure/db/client.ts";
import { createTestPool } from "./pool.ts";
import type { Tables } from "../infrastructure/db/tables.ts";
import { exportTo } from "../features/transfer/export.ts";
import { listTables } from "../features/transfer/own-tables.ts";

export const SECRET_KEY: string = Buffer.alloc(32, 5).toString("base64");

export async function withConnection<T>(url: string, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const db = createDatabase(createTestPool(url));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** Returns the bytes of an export. */
export async function exportDatabase(url: string, keyID: string): Promise<Buffer[]> {
  const file = new PassThrough();
  const [, chunks] = await Promise.all([
    withConnection(url, (db) => exportTo(db, file, { keyID, version: "test", now: new Date() })),
    file.toArray() as Promise<Buffer[]>,
  ]);
  return chunks;
}

/** Returns the row count and a checksum for every table. */
export function readContents(url: string): Promise<Record<string, string>> {
  return withConnection(url, async (db) => {
    const tables = await listTables(db);
    if (tables.length === 0) return {};
    const lines = tables.map(
      ({ name }) => sql`
        select ${name}::text as name,
          count(*) || ' ' || md5(coalesce(string_agg(one::text, '' order by one::text), '')) as line
        from ${sql.table(name)} one`,
    );
    const { rows } = await sql<{ name: string; line: string }>`
      ${sql.join(lines, sql` union all `)} order by 1`.execute(db);
    return Object.fromEntries(rows.map(({ name, line }) => [name, line]));
  });
}
