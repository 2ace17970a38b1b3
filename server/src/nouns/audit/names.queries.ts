import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { descriptors } from "../../infrastructure/nouns/noun-descriptors.ts";

/** Returns the current names of those IDs that still exist. */
export async function findNames(
  db: Reader,
  organizationID: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const selects = descriptors.flatMap(({ names }) => {
    if (!names) return [];
    const [id, name, table] = [sql.ref(names.id), sql.ref(names.name), sql.table(names.table)];
    return sql`select ${id} as id, ${name} as name from ${table}
      where organization_id = ${organizationID} and ${id} = any(${ids}::text[])`;
  });
  const all = sql<{ id: string; name: string }>`(${sql.join(selects, sql` union all `)})`;
  const rows = await db.selectFrom(all.as("named")).selectAll().execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
