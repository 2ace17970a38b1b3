/** The pool of database connections. Every wait has a limit, and connections that stop responding are replaced. */
import pg from "pg";
import { createFairQueue } from "../scheduling/fair-queue.ts";
import { currentWork, SYSTEM } from "../scheduling/work-class.ts";
import { Connection, ReadOnlyDatabaseError, SilentConnectionError } from "./connection.ts";
import { withDeadline } from "./deadline.ts";
import { resultTypes } from "./result-types.ts";
import { createStatementNames, NO_NAMES, type StatementNames } from "./statement-names.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../time/durations.ts";

/** In milliseconds. The database enforces the first three. */
export interface TimeLimits {
  statement: number;
  lock: number;
  idleInTransaction: number;
  /** How long to wait for a response. Longer than `statement`, whose error is more specific. */
  query: number;
}

/** For requests and background work. */
export const REQUEST_LIMITS: TimeLimits = {
  statement: 15 * SECOND_MS,
  lock: 10 * SECOND_MS,
  idleInTransaction: 10 * SECOND_MS,
  query: 20 * SECOND_MS,
};

/** For migrations, exports and imports. */
export const COMMAND_LIMITS: TimeLimits = {
  statement: HOUR_MS,
  lock: MINUTE_MS,
  idleInTransaction: 10 * MINUTE_MS,
  query: HOUR_MS + MINUTE_MS,
};

export interface PoolOptions {
  connectionString: string;
  limits: TimeLimits;
  /** Whether the connections lead to a connection pooler, which has set the limits. */
  isPooled?: boolean;
  /** Called when a connection breaks or is abandoned. */
  onError: (error: Error) => void;
  /** Called with a connection that stopped responding. */
  onSilent?: (connection: Connection) => void;
}

export interface ConnectionPool extends Pick<pg.Pool, "totalCount" | "idleCount" | "waitingCount"> {
  readonly limits: TimeLimits;
  readonly statementNames: StatementNames;
  /** How many connections were abandoned because they stopped responding. */
  readonly abandonedCount: number;
  /** Open connections, whether or not they are in use. */
  readonly connections: ReadonlySet<Connection>;
  /** Returns a connection to a primary that responds; the caller releases it. */
  acquire(): Promise<Connection>;
  end(): Promise<void>;
}

const CONNECTIONS_MAX = 20;
const CONNECT_MS = 3 * SECOND_MS;
/** The remaining connections are for queries that run beside a transaction: waiting for a second connection could deadlock. */
const QUEUE = { slots: 16, share: 12, waitingMax: 1000, waitMs: 8 * SECOND_MS, unlimitedClass: SYSTEM };
export const KEEP_ALIVE_MS = 10 * SECOND_MS;
/** A connection that responded this recently is used without a check, which saves a round trip under load. */
const TRUST_MS = 50;
/** How long a check may take before another connection is tried, unless the connection is new. */
const CHECK_MS = 250;
/** How long a check may take before the connection is abandoned. */
const SILENT_MS = 2 * SECOND_MS;
const END_MS = 2 * SECOND_MS;

/** The limits that the database enforces, by the name of their setting. */
export const limitSettings = ({ statement, lock, idleInTransaction }: TimeLimits) => ({
  statement_timeout: statement,
  lock_timeout: lock,
  idle_in_transaction_session_timeout: idleInTransaction,
});

const createClientPool = ({ connectionString, limits, isPooled }: PoolOptions) =>
  new pg.Pool({
    connectionString,
    types: resultTypes,
    Client: Connection,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    ...(!isPooled && limitSettings(limits)),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: "lightkeeper",
    pipeline: true,
  });

interface ReadOnlyRow {
  transaction_read_only: "on" | "off";
}

/** If the connection is slow, releases it as soon as it has responded. Throws if it leads to a standby. */
async function isUsable(connection: Connection): Promise<boolean> {
  const isNew = connection.respondedAt === 0;
  const check = connection.run({ sql: "show transaction_read_only" }, SILENT_MS);
  const result = await withDeadline(isNew ? SILENT_MS : CHECK_MS, check, "late").catch(() => undefined);
  if (!result) {
    check.then(
      () => connection.release(),
      () => connection.release(true),
    );
    return false;
  }
  const [row] = result.rows as ReadOnlyRow[];
  if (row?.transaction_read_only !== "on") return true;
  connection.release(true);
  throw new ReadOnlyDatabaseError();
}

class CheckedPool implements ConnectionPool {
  readonly limits: TimeLimits;
  readonly statementNames: StatementNames;
  readonly connections = new Set<Connection>();
  abandonedCount = 0;
  readonly #pool: pg.Pool;
  readonly #queue = createFairQueue(QUEUE);
  readonly #onError: PoolOptions["onError"];
  readonly #onSilent: PoolOptions["onSilent"];

  constructor(options: PoolOptions) {
    const { limits, isPooled, onError, onSilent } = options;
    this.limits = limits;
    // A pooler may run the next transaction in a session that doesn't know the names.
    this.statementNames = isPooled ? NO_NAMES : createStatementNames();
    this.#onError = onError;
    this.#onSilent = onSilent;
    this.#pool = createClientPool(options);
    // Without a listener, a connection that breaks would end the process.
    this.#pool.on("error", onError);
    this.#pool.on("connect", (client) => this.#track(client as unknown as Connection));
  }

  async acquire(): Promise<Connection> {
    const startedAt = performance.now();
    do {
      const connection = await this.#checkOut();
      const isTrusted = performance.now() - connection.respondedAt < TRUST_MS;
      if (isTrusted || (await isUsable(connection))) return connection;
    } while (performance.now() - startedAt < CONNECT_MS);
    throw new SilentConnectionError();
  }

  async end(): Promise<void> {
    const ended = this.#pool.end();
    await withDeadline(END_MS, ended, "The database connections did not close in time").catch(this.#onError);
    for (const connection of this.connections) connection.destroy();
  }

  get totalCount(): number {
    return this.#pool.totalCount;
  }
  get idleCount(): number {
    return this.#pool.idleCount;
  }
  get waitingCount(): number {
    return this.#pool.waitingCount + this.#queue.waitingCount;
  }

  #track(connection: Connection): void {
    this.connections.add(connection);
    connection.on("error", this.#onError);
    connection.once("end", () => this.connections.delete(connection));
    connection.once("abandoned", () => {
      this.abandonedCount++;
      this.#onSilent?.(connection);
    });
  }

  async #checkOut(): Promise<Connection> {
    const { workClass, isInTransaction } = currentWork();
    const leaveQueue = isInTransaction ? () => undefined : await this.#queue.acquire(workClass);
    try {
      const connection = (await this.#pool.connect()) as unknown as Connection;
      const { release } = connection;
      connection.release = (error) => {
        leaveQueue();
        release(error);
      };
      return connection;
    } catch (error) {
      leaveQueue();
      throw error;
    }
  }
}

export function createPool(options: PoolOptions): ConnectionPool {
  return new CheckedPool(options);
}
