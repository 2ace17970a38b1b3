/** Runs Kysely's queries on the pool, and repeats reads on another connection if one stops responding. */
import {
  type Compilable,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawBuilder,
  type Transaction,
  type TransactionSettings,
} from "kysely";
import { type Connection, SilentConnectionError, type Statement } from "./connection.ts";
import type { ConnectionPool } from "./pool.ts";
import type { Tables } from "./tables.ts";

const WRITE_COMMANDS = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/** The last statement of a transaction, which is sent together with the commit. */
const COMMITS = Symbol("commits");
/** Waits for the next statement of its transaction, and is sent together with it. */
const IS_DEFERRED = Symbol("is deferred");
interface MarkedQuery extends CompiledQuery {
  [COMMITS]?: true;
  [IS_DEFERRED]?: boolean;
}

/** Runs the last statement of the transaction and commits it, without a round trip between them. */
export async function executeAndCommit(tx: Transaction<Tables>, query: RawBuilder<unknown>): Promise<void> {
  await tx.executeQuery({ ...query.compile(tx), [COMMITS]: true } as MarkedQuery);
}

/** Runs a statement before the next one of the transaction, without a round trip between them. That one fails with it. */
export async function executeWithNext(
  tx: Transaction<Tables>,
  query: Compilable | RawBuilder<unknown>,
): Promise<void> {
  await tx.executeQuery({ ...query.compile(tx), [IS_DEFERRED]: true } as MarkedQuery);
}

class LeasedConnection implements DatabaseConnection {
  readonly #pool: ConnectionPool;
  /** Undefined if it was abandoned and no other was available. */
  #connection: Connection | undefined;
  #isInTransaction = false;
  /** Begins the transaction; sent together with its first statement. */
  #begin: string | undefined;
  #deferred: MarkedQuery[] = [];

  constructor(pool: ConnectionPool, connection: Connection) {
    this.#pool = pool;
    this.#connection = connection;
  }

  executeQuery<Row>(query: MarkedQuery): Promise<QueryResult<Row>> {
    // The first statement may be repeated on another connection, and takes no others with it.
    if (query[IS_DEFERRED] && this.#begin === undefined) {
      this.#deferred.push(query);
      return Promise.resolve({ rows: [] });
    }
    // A write may not run twice, and a transaction can't move to another connection.
    const isRepeatable = !this.#isInTransaction && query.query.kind === "SelectQueryNode";
    if (this.#begin !== undefined) return this.#runFirst(query, this.#begin);
    return isRepeatable ? this.#repeatIfSilent(() => this.#run(query)) : this.#run(query);
  }

  begin({ isolationLevel, accessMode }: TransactionSettings): void {
    const parts = ["begin", isolationLevel && `isolation level ${isolationLevel}`, accessMode];
    this.#begin = parts.filter(Boolean).join(" ");
    this.#isInTransaction = true;
  }

  async end(command: "commit" | "rollback"): Promise<void> {
    const last = this.#deferred.pop();
    if (command === "rollback") this.#deferred = [];
    else if (last) await this.executeQuery({ ...last, [IS_DEFERRED]: false });
    const isOpen = this.#isInTransaction && this.#begin === undefined;
    this.#begin = undefined;
    if (isOpen) await this.#send({ sql: command });
    this.#isInTransaction = false;
  }

  /** A connection to a standby isn't used again, so that the next one may reach the primary. */
  release(): void {
    this.#connection?.release(this.#connection.isReadOnly);
    this.#connection = undefined;
  }

  // oxlint-disable-next-line require-yield -- Kysely requires a generator.
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error("Streaming is not supported: read page by page");
  }

  /** Nothing is committed yet, so that the beginning of a transaction can be repeated. */
  async #runFirst<Row>(query: MarkedQuery, begin: string): Promise<QueryResult<Row>> {
    const isCommitting = query[COMMITS] === true;
    if (isCommitting) await this.#repeatIfSilent(() => this.#send({ sql: begin }));
    this.#begin = undefined;
    if (isCommitting) return this.#run(query);
    return this.#repeatIfSilent(async () => {
      const [, result] = await settle(this.#send({ sql: begin }), this.#run<Row>(query));
      return result;
    });
  }

  async #repeatIfSilent<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SilentConnectionError)) throw error;
      this.release();
      this.#connection = await this.#pool.acquire();
      return work();
    }
  }

  async #run<Row>(query: MarkedQuery): Promise<QueryResult<Row>> {
    if (this.#deferred.length === 0) return this.#sendQuery(query);
    const deferred = this.#deferred.splice(0).map((each) => this.#sendQuery(each));
    const [, result] = await settle(Promise.all(deferred), this.#sendQuery<Row>(query));
    return result;
  }

  async #sendQuery<Row>(query: MarkedQuery): Promise<QueryResult<Row>> {
    const { sql, parameters } = query;
    const sent = this.#send({ sql, parameters, name: this.#pool.statementNames.nameOf(sql) });
    const { command, rowCount, rows } = await (query[COMMITS] ? this.#commitAfter(sent) : sent);
    return {
      rows: (rows as Row[] | undefined) ?? [],
      ...(WRITE_COMMANDS.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
    };
  }

  /** If the statement fails, the database rolls back instead. */
  async #commitAfter<T>(sent: Promise<T>): Promise<T> {
    const committed = this.#send({ sql: "commit" });
    try {
      const [result] = await settle(sent, committed);
      return result;
    } finally {
      this.#isInTransaction = false;
    }
  }

  async #send(statement: Statement) {
    if (!this.#connection) throw new SilentConnectionError();
    return this.#connection.run(statement, this.#pool.limits.query);
  }
}

/** Waits for both, and throws the first error. */
async function settle<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
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
  async beginTransaction(connection: LeasedConnection, settings: TransactionSettings): Promise<void> {
    connection.begin(settings);
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
