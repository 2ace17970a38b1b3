import { Kysely, type Transaction } from "kysely";
import { createDialect } from "./driver.ts";
import type { ConnectionPool } from "./pool.ts";
import type { UnauditedTables, Tables } from "./tables.ts";

/** Can only select; for everything outside an audited transaction. */
export type Reader = Pick<Kysely<Tables>, "selectFrom">;

/** An audited transaction, which only `audited()` provides. */
export type Writer = Transaction<Tables>;

/** Writes the server's own tables, and nothing that an organization owns. */
export type UnauditedWriter = Kysely<UnauditedTables>;

export function createDatabase(pool: ConnectionPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createDialect(pool) });
}
