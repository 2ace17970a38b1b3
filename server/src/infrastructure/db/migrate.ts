import { type Kysely, Migrator } from "kysely";
import { migrations } from "./migration-list.ts";
import type { Tables } from "./tables.ts";

export interface MigrateOptions {
  through?: string;
  /** The connection is in a transaction already, of which this becomes a part. */
  isPart?: boolean;
}

export async function migrate(
  db: Kysely<Tables>,
  { through, isPart = false }: MigrateOptions = {},
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    disableTransactions: isPart,
  });
  const { error, results = [] } = through
    ? await migrator.migrateTo(through)
    : await migrator.migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}
