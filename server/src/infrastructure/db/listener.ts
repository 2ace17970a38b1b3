/** One connection that listens for notifications, proves every second that it is alive, and reconnects when not. */
import { Socket } from "node:net";
import pg from "pg";
import { SilentConnectionError } from "./connection.ts";
import { within } from "./deadline.ts";

const CONNECT_MS = 2000;
const HEARTBEAT_MS = 1000;
const ANSWER_MS = 2000;
/** An answer older than this is late. */
const LATE_MS = HEARTBEAT_MS + ANSWER_MS;
const RECONNECT_MS_MIN = 100;
const RECONNECT_MS_MAX = 2000;
const CLOSE_MS = 500;

export interface DatabaseTime {
  /** The database's clock, in milliseconds since 1970. */
  databaseMs: number;
  /** The monotonic clock when it was asked and when the answer came. */
  sentAt: number;
  receivedAt: number;
}

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
  /** Reconnects now instead of after the pause. */
  hurry(): void;
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /** Stands for the present connection; undefined when there is none that answers. */
  readonly session: object | undefined;
}

/** A connected client whose queries run one after the other, each with a deadline. */
class Session {
  readonly client: pg.Client;
  readonly #socket = new Socket();
  #last: Promise<unknown> = Promise.resolve();
  answeredAt = performance.now();

  constructor(connectionString: string) {
    this.client = new pg.Client({
      connectionString,
      application_name: "lightkeeper changes",
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: ANSWER_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      stream: () => this.#socket,
    });
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    const run = async () => {
      const { rows } = await within(ANSWER_MS, this.client.query<Row>(text, values), "late").catch(
        (error) => {
          this.destroy(new SilentConnectionError());
          throw error;
        },
      );
      this.answeredAt = performance.now();
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
    await within(CLOSE_MS, this.client.end(), "late").catch(() => undefined);
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
      await askTime(session);
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

  async function askTime(session: Session): Promise<void> {
    const sentAt = performance.now();
    const text = "select extract(epoch from clock_timestamp())::float8 * 1000 as ms";
    const [time] = await session.query<{ ms: number }>(text);
    if (time) options.onTime({ databaseMs: time.ms, sentAt, receivedAt: performance.now() });
  }

  /** A session that does not answer destroys itself, and is lost by that. */
  function scheduleHeartbeat(session: Session): void {
    heartbeat = setTimeout(() => {
      askTime(session).then(
        () => current === session && scheduleHeartbeat(session),
        () => undefined,
      );
    }, HEARTBEAT_MS).unref();
  }

  function reconnect(): void {
    const pauseMs = attempts === 0 ? 0 : Math.min(RECONNECT_MS_MIN * 2 ** attempts, RECONNECT_MS_MAX);
    attempts++;
    retry = setTimeout(tryAgain, pauseMs).unref();
  }
  function tryAgain(): void {
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
    hurry() {
      if (!retry) return;
      clearTimeout(retry);
      tryAgain();
    },
    async query(text, values) {
      if (!current) throw new SilentConnectionError();
      return current.query(text, values);
    },
    get session() {
      return current && performance.now() - current.answeredAt < LATE_MS ? current : undefined;
    },
  };
}
