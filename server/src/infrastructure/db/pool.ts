/** The pool of database connections. Every wait has a limit, and connections that stop answering are replaced. */
import pg from "pg";
import { createFairQueue } from "../scheduling/fair-queue.ts";
import { currentWork, SYSTEM } from "../scheduling/work-class.ts";
import { Connection, SilentConnectionError } from "./connection.ts";
import { within } from "./deadline.ts";

/** In milliseconds; the first three are enforced by the database, so that they hold for what it does for us. */
export interface TimeLimits {
  statement: number;
  lock: number;
  idleInTransaction: number;
  /** How long to wait for any answer. Longer than `statement`, whose error says more. */
  query: number;
}

/** For what a person or an agent waits for, and for background work. */
export const REQUEST_LIMITS: TimeLimits = {
  statement: 15_000,
  lock: 10_000,
  idleInTransaction: 10_000,
  query: 20_000,
};

/** For migrations, exports and imports. */
export const COMMAND_LIMITS: TimeLimits = {
  statement: 60 * 60_000,
  lock: 60_000,
  idleInTransaction: 10 * 60_000,
  query: 61 * 60_000,
};

export interface PoolOptions {
  connectionString: string;
  limits: TimeLimits;
  /** Called when a connection breaks or is abandoned. */
  onError: (error: Error) => void;
  /** Called with a connection that stopped answering. */
  onSilent?: (connection: Connection) => void;
}

export interface ConnectionPool extends Pick<pg.Pool, "totalCount" | "idleCount" | "waitingCount"> {
  readonly limits: TimeLimits;
  /** How many connections were given up because they stopped answering. */
  readonly abandonedCount: number;
  /** Those that are open, in use or not. */
  readonly connections: ReadonlySet<Connection>;
  /** A connection that answers; to be released. */
  acquire(): Promise<Connection>;
  end(): Promise<void>;
}

const CONNECTIONS_MAX = 20;
const CONNECT_MS = 3000;
/** The other connections are for queries beside a transaction, which has a connection and must not wait for a second. */
const QUEUE = { slots: 16, share: 12, waitingMax: 1000, waitMs: 8000, unlimitedClass: SYSTEM };
const KEEP_ALIVE_MS = 10_000;
/** A connection that answered this recently is used without a check: under load none costs a round trip. */
const TRUST_MS = 50;
/** How long a check may take before another connection is tried. */
const CHECK_MS = 250;
/** How long a check may take before the connection is given up. */
const SILENT_MS = 2000;
const END_MS = 2000;

const INT8 = 20;

/** bigint columns are counters and sequence numbers, all far below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function createPool({ connectionString, limits, onError, onSilent }: PoolOptions): ConnectionPool {
  const connections = new Set<Connection>();
  let abandonedCount = 0;
  const queue = createFairQueue(QUEUE);
  const pool = new pg.Pool({
    connectionString,
    types,
    Client: Connection,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: limits.statement,
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: "lightkeeper",
  });
  // Without a listener, a connection that breaks would end the process.
  pool.on("error", onError);
  pool.on("connect", (client) => {
    const connection = client as unknown as Connection;
    connections.add(connection);
    connection.on("error", onError);
    connection.once("end", () => connections.delete(connection));
    connection.once("abandoned", () => {
      abandonedCount++;
      onSilent?.(connection);
    });
  });

  async function checkOut(): Promise<Connection> {
    const { workClass, isInTransaction } = currentWork();
    const leave = isInTransaction ? () => undefined : await queue.acquire(workClass);
    try {
      const connection = (await pool.connect()) as unknown as Connection;
      const { release } = connection;
      connection.release = (error) => {
        leave();
        release(error);
      };
      return connection;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Whether the connection answers now. A slow one is returned to the pool once it has answered. */
  async function answers(connection: Connection): Promise<boolean> {
    const check = connection.run("select 1", [], SILENT_MS);
    const late = within(CHECK_MS, check, "late").then(
      () => false,
      () => true,
    );
    if (!(await late)) return true;
    check.then(
      () => connection.release(),
      () => connection.release(true),
    );
    return false;
  }

  return {
    limits,
    connections,
    async acquire() {
      const startedAt = performance.now();
      do {
        const connection = await checkOut();
        const isTrusted = performance.now() - connection.answeredAt < TRUST_MS;
        if (isTrusted || (await answers(connection))) return connection;
      } while (performance.now() - startedAt < CONNECT_MS);
      throw new SilentConnectionError();
    },
    async end() {
      await within(END_MS, pool.end(), "The database connections did not close in time").catch(onError);
      for (const connection of connections) connection.destroy();
    },
    get abandonedCount() {
      return abandonedCount;
    },
    get totalCount() {
      return pool.totalCount;
    },
    get idleCount() {
      return pool.idleCount;
    },
    get waitingCount() {
      return pool.waitingCount + queue.waitingCount;
    },
  };
}
