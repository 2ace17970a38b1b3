import { Kysely, type Transaction } from "kysely";
import { createDialect } from "./driver.ts";
import type { ConnectionPool } from "./pool.ts";
import type { BookkeepingTables, Tables } from "./tables.ts";

/** Can look, cannot touch: everything outside an audited transaction gets this. */
export type Reader = Pick<Kysely<Tables>, "selectFrom">;

/** An audited transaction. Only `audited()` hands one out. */
export type Writer = Transaction<Tables>;

/** Writes the machinery's own notes, and nothing that an organization owns. */
export type Bookkeeper = Kysely<BookkeepingTables>;

export function createDatabase(pool: ConnectionPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: createDialect(pool) });
}
