/** A connection that listens for notifications, checks every second that the database responds, and reconnects if it doesn't. */
import { Socket } from "node:net";
import pg from "pg";
import { SilentConnectionError } from "./connection.ts";
import { withDeadline } from "./deadline.ts";
import { KEEP_ALIVE_MS } from "./pool.ts";
import { backoffMs } from "../scheduling/backoff.ts";
import type { DatabaseTime } from "../time/clock.ts";
import { SECOND_MS } from "../time/durations.ts";

const CONNECT_MS = 2 * SECOND_MS;
const HEARTBEAT_MS = SECOND_MS;
const RESPONSE_MS = 2 * SECOND_MS;
/** The connection counts as silent if its last response is older. */
const SILENT_MS = HEARTBEAT_MS + RESPONSE_MS;
const RECONNECT_BACKOFF = { minMs: 100, maxMs: 2 * SECOND_MS };
const CLOSE_MS = 500;

export interface ListenerOptions {
  connectionString: string;
  channels: string[];
  onNotification: (channel: string, payload: string, session: object) => void;
  /** Called each time the connection listens: the first time, and after each reconnection. */
  onListening: (isFirst: boolean) => void;
  onLost: (error: Error | undefined) => void;
  onTime: (time: DatabaseTime) => void;
}

export interface Listener {
  open(): Promise<void>;
  close(): Promise<void>;
  /** Reconnects immediately instead of after the pause. */
  reconnectNow(): void;
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /** Identifies the current connection; undefined if none responds. */
  readonly session: object | undefined;
}

/** A connected client whose queries run one after the other, each with a deadline. */
class Session {
  readonly client: pg.Client;
  readonly #socket = new Socket();
  #last: Promise<unknown> = Promise.resolve();
  respondedAt = performance.now();

  constructor(connectionString: string) {
    this.client = new pg.Client({
      connectionString,
      application_name: "lightkeeper changes",
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: RESPONSE_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      stream: () => this.#socket,
    });
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const run = async () => {
      const { rows } = await withDeadline(RESPONSE_MS, this.client.query<Row>(text, values), "late").catch(
        (error) => {
          this.destroy(new SilentConnectionError());
          throw error;
        },
      );
      this.respondedAt = performance.now();
      return rows;
    };
    const result = this.#last.then(run, run);
    this.#last = result.catch(() => undefined);
    return result;
  }

  destroy(error?: Error): void {
    this.#socket.destroy(error);
  }

  async end(): Promise<void> {
    await withDeadline(CLOSE_MS, this.client.end(), "late").catch(() => undefined);
    this.destroy();
  }
}

export function createListener(options: ListenerOptions): Listener {
  let current: Session | undefined;
  let connecting: Session | undefined;
  let isClosed = false;
  let hasListened = false;
  let attempts = 0;
  let retry: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  function createSession(): Session {
    const session = new Session(options.connectionString);
    const lose = (error?: Error) => {
      if (current !== session || isClosed) return;
      current = undefined;
      clearTimeout(heartbeat);
      options.onLost(error);
      reconnect();
    };
    session.client.on("error", lose);
    session.client.on("end", () => lose());
    session.client.on(
      "notification",
      ({ channel, payload }) => payload && options.onNotification(channel, payload, session),
    );
    return session;
  }

  async function connect(): Promise<void> {
    const session = (connecting = createSession());
    try {
      await session.client.connect();
      for (const channel of options.channels) await session.query(`listen ${pg.escapeIdentifier(channel)}`);
      await synchronizeTime(session);
    } catch (error) {
      session.destroy();
      throw error;
    } finally {
      connecting = undefined;
    }
    if (isClosed) return session.end();
    current = session;
    attempts = 0;
    scheduleHeartbeat(session);
    options.onListening(!hasListened);
    hasListened = true;
  }

  async function synchronizeTime(session: Session): Promise<void> {
    const sentAt = performance.now();
    const text = "select extract(epoch from clock_timestamp())::float8 * 1000 as ms";
    const [time] = await session.query<{ ms: number }>(text);
    if (time) options.onTime({ databaseMs: time.ms, sentAt, receivedAt: performance.now() });
  }

  /** A session that doesn't respond destroys itself, which triggers a reconnection. */
  function scheduleHeartbeat(session: Session): void {
    heartbeat = setTimeout(() => {
      synchronizeTime(session).then(
        () => current === session && scheduleHeartbeat(session),
        () => undefined,
      );
    }, HEARTBEAT_MS).unref();
  }

  function reconnect(): void {
    const pauseMs = attempts === 0 ? 0 : backoffMs(RECONNECT_BACKOFF, attempts);
    attempts++;
    retry = setTimeout(reconnectNow, pauseMs).unref();
  }
  function reconnectNow(): void {
    retry = undefined;
    connect().catch(() => !isClosed && reconnect());
  }

  return {
    async open() {
      await connect().catch((error: unknown) => {
        if (!isClosed) reconnect();
        throw error;
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      clearTimeout(heartbeat);
      connecting?.destroy();
      await current?.end();
    },
    reconnectNow() {
      if (!retry) return;
      clearTimeout(retry);
      reconnectNow();
    },
    async query(text, values) {
      if (!current) throw new SilentConnectionError();
      return current.query(text, values);
    },
    get session() {
      return current && performance.now() - current.respondedAt < SILENT_MS ? current : undefined;
    },
  };
}
