import { sql } from "kysely";
import type { Writer } from "../infrastructure/db/client.ts";
import type { Tables } from "../infrastructure/db/tables.ts";

type Rows<Table extends keyof Tables> = readonly Partial<Record<keyof Tables[Table] & string, unknown>>[];

/** Inserts any number of rows in one statement; all must have the columns of the first. */
export async function insertRows<Table extends keyof Tables>(
  tx: Writer,
  table: Table,
  rows: Rows<Table>,
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = sql.join(Object.keys(first).map((name) => sql.ref(name)));
  const json = JSON.stringify(rows);
  await sql`
    insert into ${sql.table(table)} (${columns})
      select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${json})`.execute(tx);
}
