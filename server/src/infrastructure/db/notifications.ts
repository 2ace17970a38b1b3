/**
 * PostgreSQL's notifications, received on two connections: each notification is delivered once, and immediately also
 * while one of the connections is silent.
 */
import { randomUUID } from "node:crypto";
import { type QueryExecutorProvider, sql } from "kysely";
import type pg from "pg";
import { within } from "./deadline.ts";
import { createListener, type DatabaseTime, type Listener } from "./listener.ts";

const CHANGES_CHANNEL = "lightkeeper_changes";
/** Carries nothing but the marks by which a process sees that a connection receives. */
const MARKS_CHANNEL = "lightkeeper_marks";
const CONNECTIONS = 2;
const MARK_MS = 2000;
const CATCH_UP_MS = 1000;
/** For how long a notification is recognized when the other connection delivers it too. */
const REMEMBER_MS = 30_000;

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
  /** Runs a statement beside the pool, on whichever connection answers first. Must be safe to run twice. */
  query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /** Whether a connection answers and listens; waits a moment for one that is being restored. */
  isReceiving(): Promise<boolean>;
  readonly isOpen: boolean;
  readonly connectionCount: number;
  readonly receivingCount: number;
}

/** Sent when the transaction commits. Each names its transaction, so that two equal ones can be told apart. */
export async function notifyOfChanges(db: QueryExecutorProvider, changes: object[]): Promise<void> {
  const payloads = changes.map((change) => JSON.stringify(change));
  await sql`
    select pg_notify(${CHANGES_CHANNEL},
        (change::jsonb || jsonb_build_object('transaction', pg_current_xact_id()::text))::text)
      from unnest(${payloads}::text[]) change`.execute(db);
}

/** Remembers for one to two periods. */
function createRecentSet(periodMs: number) {
  let [recent, older] = [new Set<string>(), new Set<string>()];
  let startedAt = performance.now();
  return {
    /** Whether it is not yet in the set. */
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

export function createNotifications(options: NotificationOptions): Notifications {
  const delivered = createRecentSet(REMEMBER_MS);
  const marks = new Map<string, (session: object) => void>();
  let isOpen = false;

  const receive = (channel: string, payload: string, session: object) => {
    if (channel === MARKS_CHANNEL) marks.get(payload)?.(session);
    // A process of an earlier version names no transaction: its notification may be delivered twice.
    else if (!payload.includes('"transaction"') || delivered.add(payload)) options.onNotification(payload);
  };

  const listeners = Array.from({ length: CONNECTIONS }, () => {
    const listener: Listener = createListener({
      connectionString: options.connectionString,
      channels: [CHANGES_CHANNEL, MARKS_CHANNEL],
      onNotification: receive,
      onListening: (isFirst) => {
        if (!isFirst) void catchUp(listener);
      },
      onLost: options.onLost,
      onTime: options.onTime,
    });
    return listener;
  });

  /** Nothing was lost if another connection received everything up to the moment this one listens again. */
  async function catchUp(listener: Listener): Promise<void> {
    const others = listeners.flatMap((other) => (other !== listener && other.session) || []);
    const mark = randomUUID();
    try {
      if (others.length === 0) throw new Error("No other connection was listening");
      const received = new Promise<void>((resolve) =>
        marks.set(mark, (session) => others.includes(session) && resolve()),
      );
      await listener.query("select pg_notify($1, $2)", [MARKS_CHANNEL, mark]);
      await within(MARK_MS, received, "The other connection did not receive the mark");
    } catch {
      options.onMissed();
    } finally {
      marks.delete(mark);
    }
  }

  const receivingCount = () => listeners.filter(({ session }) => session !== undefined).length;
  return {
    async open() {
      isOpen = true;
      const results = await Promise.allSettled(listeners.map((listener) => listener.open()));
      const [first] = results;
      if (first?.status === "rejected" && results.every(({ status }) => status === "rejected"))
        throw first.reason;
    },
    async close() {
      isOpen = false;
      await Promise.all(listeners.map((listener) => listener.close()));
    },
    query<Row extends pg.QueryResultRow>(text: string, values: unknown[]) {
      return Promise.any(listeners.map((listener) => listener.query<Row>(text, values)));
    },
    async isReceiving() {
      const startedAt = performance.now();
      while (receivingCount() === 0 && performance.now() - startedAt < CATCH_UP_MS) {
        for (const listener of listeners) listener.hurry();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return receivingCount() > 0;
    },
    get isOpen() {
      return isOpen;
    },
    connectionCount: CONNECTIONS,
    get receivingCount() {
      return receivingCount();
    },
  };
}
