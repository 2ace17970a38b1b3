/** A database connection that is abandoned when it stops responding. */
import { Socket } from "node:net";
import pg from "pg";
import { startDeadline } from "./deadline.ts";

const READ_ONLY = "25006";

/** Has SQLSTATE 08006, connection failure. */
export class SilentConnectionError extends Error {
  readonly code = "08006";
  constructor() {
    super("The database connection stopped responding");
  }
}

/** The database is a standby, or a primary that was demoted. Has SQLSTATE 25006, as a write there. */
export class ReadOnlyDatabaseError extends Error {
  readonly code = READ_ONLY;
  constructor() {
    super("The database is read-only");
  }
}

/** For work that may take longer than the statement of a request. */
export const LIFT_STATEMENT_TIMEOUT = "set local statement_timeout = 0";
const END_OF_TRANSACTION = new Set(["commit", "rollback"]);

/** One or more statements without a response. */
interface RunningQueries {
  count: number;
  /** When the first was sent, or when a part of a response last arrived. */
  since: number;
  bytesRead: number;
}

export interface Statement {
  sql: string;
  parameters?: readonly unknown[];
  /** Of a statement that the database keeps for the connection. */
  name?: string | undefined;
}

export class Connection extends pg.Client {
  declare readonly processID: number | null;
  /** Added by the pool: returns the connection, or removes it after an error. */
  declare release: (error?: Error | boolean) => void;
  /** When the database last responded on this connection, by the monotonic clock. */
  respondedAt = 0;
  /** Whether the database has rejected a write because it isn't the primary. */
  isReadOnly = false;
  readonly #socket: Socket;
  #running: RunningQueries | undefined;
  #silence: SilentConnectionError | undefined;
  #isUnlimited = false;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  /**
   * Sends the statement immediately, also if another one has no response yet. Without a response in time, closes the
   * connection and rejects with a SilentConnectionError.
   */
  async run({ sql, parameters = [], name }: Statement, timeoutMs: number): Promise<pg.QueryResult> {
    if (sql === LIFT_STATEMENT_TIMEOUT) this.#isUnlimited = true;
    else if (END_OF_TRANSACTION.has(sql)) this.#isUnlimited = false;
    this.#running ??= { count: 0, since: performance.now(), bytesRead: this.#socket.bytesRead };
    this.#running.count += 1;
    const cancel = this.#isUnlimited ? () => undefined : startDeadline(timeoutMs, () => this.abandon());
    try {
      const values = [...parameters];
      const result = await (name === undefined
        ? this.query(sql, values)
        : this.query({ name, text: sql, values }));
      this.respondedAt = performance.now();
      return result;
    } catch (error) {
      if ((error as { code?: string }).code === READ_ONLY) this.isReadOnly = true;
      throw this.#silence ?? error;
    } finally {
      cancel();
      this.#running.count -= 1;
      if (this.#running.count === 0) this.#running = undefined;
    }
  }

  /** How long the running queries have been waiting without receiving a byte; 0 if no query is running. */
  waitingMs(): number {
    if (!this.#running) return 0;
    const { bytesRead } = this.#socket;
    if (bytesRead !== this.#running.bytesRead)
      Object.assign(this.#running, { since: performance.now(), bytesRead });
    return performance.now() - this.#running.since;
  }

  /** Closes the connection without waiting for the database; its running query fails. */
  abandon(): void {
    if (this.#socket.destroyed) return;
    this.#silence = new SilentConnectionError();
    this.emit("abandoned");
    this.#socket.destroy(this.#silence);
  }

  /** Closes the connection without waiting for the database and without an error. */
  destroy(): void {
    this.#socket.destroy();
  }
}
