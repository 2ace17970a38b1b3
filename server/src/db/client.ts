import { Kysely, PostgresDialect, type Transaction } from "kysely";
import pg from "pg";
import type { BookkeepingTables, Tables } from "./tables.ts";

/** Can look, cannot touch: everything outside an audited transaction gets this. */
export type Reader = Pick<Kysely<Tables>, "selectFrom">;

/** An audited transaction. Only `audited()` hands one out. */
export type Writer = Transaction<Tables>;

/** Writes the machinery's own notes, and nothing that an organization owns. */
export type Bookkeeper = Kysely<BookkeepingTables>;

const INT8 = 20;

/** bigint columns are counters and sequence numbers, all far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function createPool(connectionString: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    types,
    max: 20,
    connectionTimeoutMillis: 3000,
    statement_timeout: 15_000,
    idle_in_transaction_session_timeout: 30_000,
    application_name: "lightkeeper",
  });
  // A connection that breaks is replaced by the pool; without a listener, idle or at work, it would end the process.
  pool.on("error", onError);
  pool.on("connect", (client) => client.on("error", onError));
  return pool;
}

export function createDatabase(pool: pg.Pool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}
