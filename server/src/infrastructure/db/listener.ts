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

class ReconnectingListener implements Listener {
  readonly #options: ListenerOptions;
  #current: Session | undefined;
  #connecting: Session | undefined;
  #isClosed = false;
  #hasListened = false;
  #attempts = 0;
  #retry: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    await this.#connect().catch((error: unknown) => {
      if (!this.#isClosed) this.#scheduleReconnection();
      throw error;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#heartbeat);
    this.#connecting?.destroy();
    await this.#current?.end();
  }

  reconnectNow(): void {
    if (!this.#retry) return;
    clearTimeout(this.#retry);
    this.#reconnect();
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    if (!this.#current) throw new SilentConnectionError();
    return this.#current.query<Row>(text, values);
  }

  get session(): object | undefined {
    const session = this.#current;
    return session && performance.now() - session.respondedAt < SILENT_MS ? session : undefined;
  }

  async #connect(): Promise<void> {
    const session = (this.#connecting = this.#createSession());
    try {
      await session.client.connect();
      for (const channel of this.#options.channels)
        await session.query(`listen ${pg.escapeIdentifier(channel)}`);
      await this.#synchronizeTime(session);
    } catch (error) {
      session.destroy();
      throw error;
    } finally {
      this.#connecting = undefined;
    }
    if (this.#isClosed) return session.end();
    this.#current = session;
    this.#attempts = 0;
    this.#scheduleHeartbeat(session);
    this.#options.onListening(!this.#hasListened);
    this.#hasListened = true;
  }

  #createSession(): Session {
    const session = new Session(this.#options.connectionString);
    session.client.on("error", (error) => this.#lose(session, error));
    session.client.on("end", () => this.#lose(session));
    session.client.on(
      "notification",
      ({ channel, payload }) => payload && this.#options.onNotification(channel, payload, session),
    );
    return session;
  }

  #lose(session: Session, error?: Error): void {
    if (this.#current !== session || this.#isClosed) return;
    this.#current = undefined;
    clearTimeout(this.#heartbeat);
    this.#options.onLost(error);
    this.#scheduleReconnection();
  }

  async #synchronizeTime(session: Session): Promise<void> {
    const sentAt = performance.now();
    const text = "select extract(epoch from clock_timestamp())::float8 * 1000 as ms";
    const [time] = await session.query<{ ms: number }>(text);
    if (time) this.#options.onTime({ databaseMs: time.ms, sentAt, receivedAt: performance.now() });
  }

  /** A session that doesn't respond destroys itself, which triggers a reconnection. */
  #scheduleHeartbeat(session: Session): void {
    this.#heartbeat = setTimeout(() => {
      this.#synchronizeTime(session).then(
        () => this.#current === session && this.#scheduleHeartbeat(session),
        () => undefined,
      );
    }, HEARTBEAT_MS).unref();
  }

  #scheduleReconnection(): void {
    const pauseMs = this.#attempts === 0 ? 0 : backoffMs(RECONNECT_BACKOFF, this.#attempts);
    this.#attempts++;
    this.#retry = setTimeout(() => this.#reconnect(), pauseMs).unref();
  }

  #reconnect(): void {
    this.#retry = undefined;
    this.#connect().catch(() => !this.#isClosed && this.#scheduleReconnection());
  }
}

export function createListener(options: ListenerOptions): Listener {
  return new ReconnectingListener(options);
}
