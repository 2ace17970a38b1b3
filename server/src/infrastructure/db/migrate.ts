import { type Kysely, Migrator } from "kysely";
import { migrations } from "./migration-list.ts";
import type { Tables } from "./tables.ts";

export interface MigrateOptions {
  through?: string;
  /** Set if the connection is already in a transaction, which then includes the migrations. */
  isInTransaction?: boolean;
}

export async function migrate(
  db: Kysely<Tables>,
  { through, isInTransaction = false }: MigrateOptions = {},
): Promise<string[]> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    disableTransactions: isInTransaction,
  });
  const { error, results = [] } = through
    ? await migrator.migrateTo(through)
    : await migrator.migrateToLatest();
  if (error) throw error;
  return results.map(({ migrationName }) => migrationName);
}
