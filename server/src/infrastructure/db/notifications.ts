/**
 * PostgreSQL's notifications, received on two connections, so that a silent connection delays none. Each notification
 * is delivered once.
 */
import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { withDeadline } from "./deadline.ts";
import type { DatabaseTime } from "../time/clock.ts";
import { SECOND_MS } from "../time/durations.ts";
import { createListener, type Listener } from "./listener.ts";

const CHANGES_CHANNEL = "lightkeeper_changes";
/** Carries marks, by which a process checks that a connection receives notifications. */
const MARKS_CHANNEL = "lightkeeper_marks";
const CONNECTIONS = 2;
const MARK_MS = 2 * SECOND_MS;
const RECONNECT_WAIT_MS = SECOND_MS;
const RECONNECT_CHECK_MS = 50;
/** For how long a notification is recognized when the second connection delivers it too. */
const DUPLICATE_MS = 30 * SECOND_MS;

export interface NotificationOptions {
  connectionString: string;
  onNotification: (payload: string) => void;
  /** Called when notifications may have been lost. */
  onMissed: () => void;
  onLost: (error: Error | undefined) => void;
  onTime: (time: DatabaseTime) => void;
}

export interface Notifications {
  open(): Promise<void>;
  close(): Promise<void>;
  /** Runs a statement on every connection and returns the first result, so it must be safe to run twice. */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /** Whether a connection receives notifications; waits up to a second for a reconnection. */
  isReceiving(): Promise<boolean>;
  readonly isOpen: boolean;
  readonly connectionCount: number;
  readonly receivingCount: number;
}

/** The statement that sends notifications of changes. Sent when the transaction commits. Contains the transaction's ID, so that equal changes of two transactions differ. */
export function notifying(changes: object[]): RawBuilder<unknown> {
  const payloads = changes.map((change) => JSON.stringify(change));
  return sql`
    select pg_notify(${CHANGES_CHANNEL},
        (change::jsonb || jsonb_build_object('transaction', pg_current_xact_id()::text))::text)
      from unnest(${payloads}::text[]) change`;
}

/** Keeps values for one to two periods. */
function createRecentSet(periodMs: number) {
  let [recent, older] = [new Set<string>(), new Set<string>()];
  let startedAt = performance.now();
  return {
    /** Returns false if the value is already in the set. */
    add(value: string): boolean {
      if (performance.now() - startedAt > periodMs) {
        [recent, older] = [new Set(), recent];
        startedAt = performance.now();
      }
      if (recent.has(value) || older.has(value)) return false;
      recent.add(value);
      return true;
    },
  };
}

class RedundantNotifications implements Notifications {
  readonly connectionCount = CONNECTIONS;
  isOpen = false;
  readonly #options: NotificationOptions;
  readonly #listeners: Listener[];
  readonly #delivered = createRecentSet(DUPLICATE_MS);
  readonly #marks = new Map<string, (session: object) => void>();

  constructor(options: NotificationOptions) {
    this.#options = options;
    this.#listeners = Array.from({ length: CONNECTIONS }, () => this.#createListener());
  }

  async open(): Promise<void> {
    this.isOpen = true;
    const results = await Promise.allSettled(this.#listeners.map((listener) => listener.open()));
    const [first] = results;
    if (first?.status === "rejected" && results.every(({ status }) => status === "rejected"))
      throw first.reason;
  }

  async close(): Promise<void> {
    this.isOpen = false;
    await Promise.all(this.#listeners.map((listener) => listener.close()));
  }

  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return Promise.any(this.#listeners.map((listener) => listener.query<Row>(text, values)));
  }

  async isReceiving(): Promise<boolean> {
    const startedAt = performance.now();
    while (this.receivingCount === 0 && performance.now() - startedAt < RECONNECT_WAIT_MS) {
      for (const listener of this.#listeners) listener.reconnectNow();
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_CHECK_MS));
    }
    return this.receivingCount > 0;
  }

  get receivingCount(): number {
    return this.#listeners.filter(({ session }) => session !== undefined).length;
  }

  #createListener(): Listener {
    const listener: Listener = createListener({
      connectionString: this.#options.connectionString,
      channels: [CHANGES_CHANNEL, MARKS_CHANNEL],
      onNotification: (channel, payload, session) => this.#receive(channel, payload, session),
      onListening: (isFirst) => {
        if (!isFirst) void this.#catchUp(listener);
      },
      onLost: this.#options.onLost,
      onTime: this.#options.onTime,
    });
    return listener;
  }

  #receive(channel: string, payload: string, session: object): void {
    if (channel === MARKS_CHANNEL) this.#marks.get(payload)?.(session);
    // An earlier version of the server sends no transaction ID, so its notifications may be delivered twice.
    else if (!payload.includes('"transaction"') || this.#delivered.add(payload))
      this.#options.onNotification(payload);
  }

  /** Nothing was missed if another connection received everything until this one listens again. */
  async #catchUp(listener: Listener): Promise<void> {
    const otherSessions = this.#listeners.flatMap((other) => (other !== listener && other.session) || []);
    const mark = randomUUID();
    try {
      if (otherSessions.length === 0) throw new Error("No other connection was listening");
      const received = new Promise<void>((resolve) =>
        this.#marks.set(mark, (session) => otherSessions.includes(session) && resolve()),
      );
      await listener.query("select pg_notify($1, $2)", [MARKS_CHANNEL, mark]);
      await withDeadline(MARK_MS, received, "The other connection did not receive the mark");
    } catch {
      this.#options.onMissed();
    } finally {
      this.#marks.delete(mark);
    }
  }
}

export function createNotifications(options: NotificationOptions): Notifications {
  return new RedundantNotifications(options);
}
