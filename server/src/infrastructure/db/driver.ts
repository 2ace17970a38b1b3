/** Runs Kysely's queries on the pool, and repeats reads on another connection if one stops responding. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from "kysely";
import { type Connection, SilentConnectionError } from "./connection.ts";
import type { ConnectionPool } from "./pool.ts";

const WRITE_COMMANDS = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

class LeasedConnection implements DatabaseConnection {
  readonly #pool: ConnectionPool;
  /** Undefined if it was abandoned and no other was available. */
  #connection: Connection | undefined;
  #isInTransaction = false;

  constructor(pool: ConnectionPool, connection: Connection) {
    this.#pool = pool;
    this.#connection = connection;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // A write may not run twice, and a transaction can't move to another connection.
    const isRepeatable = !this.#isInTransaction && query.query.kind === "SelectQueryNode";
    return isRepeatable ? this.#runRepeatably(query) : this.#run(query);
  }

  async begin({ isolationLevel, accessMode }: TransactionSettings): Promise<void> {
    const parts = ["begin", isolationLevel && `isolation level ${isolationLevel}`, accessMode];
    await this.#runRepeatably(CompiledQuery.raw(parts.filter(Boolean).join(" ")));
    this.#isInTransaction = true;
  }

  async end(command: "commit" | "rollback"): Promise<void> {
    await this.#run(CompiledQuery.raw(command));
    this.#isInTransaction = false;
  }

  release(): void {
    this.#connection?.release();
    this.#connection = undefined;
  }

  // oxlint-disable-next-line require-yield -- Kysely requires a generator.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("Streaming is not supported: read page by page");
  }

  async #runRepeatably<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      return await this.#run(query);
    } catch (error) {
      if (!(error instanceof SilentConnectionError)) throw error;
      this.release();
      this.#connection = await this.#pool.acquire();
      return this.#run(query);
    }
  }

  async #run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    if (!this.#connection) throw new SilentConnectionError();
    const { command, rowCount, rows } = await this.#connection.run(sql, parameters, this.#pool.limits.query);
    return {
      rows: (rows as Row[] | undefined) ?? [],
      ...(WRITE_COMMANDS.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    };
  }
}

class PoolDriver implements Driver {
  readonly #pool: ConnectionPool;
  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<LeasedConnection> {
    return new LeasedConnection(this.#pool, await this.#pool.acquire());
  }
  beginTransaction(connection: LeasedConnection, settings: TransactionSettings): Promise<void> {
    return connection.begin(settings);
  }
  commitTransaction(connection: LeasedConnection): Promise<void> {
    return connection.end("commit");
  }
  rollbackTransaction(connection: LeasedConnection): Promise<void> {
    return connection.end("rollback");
  }
  async releaseConnection(connection: LeasedConnection): Promise<void> {
    connection.release();
  }
  destroy(): Promise<void> {
    return this.#pool.end();
  }
}

export const createDialect = (pool: ConnectionPool): Dialect => ({
  createDriver: () => new PoolDriver(pool),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
});
