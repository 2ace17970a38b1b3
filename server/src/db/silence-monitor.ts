/** Finds connections whose answer will not come, without a limit on how long the database may work on one. */
import { setImmediate } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import type { Notifications } from "./notifications.ts";
import type { ConnectionPool } from "./pool.ts";

const CHECK_EVERY_MS = 250;
/** How long a query waits before the database is asked, on another connection, whether it works on it. */
const SUSPECT_MS = 250;
/** How long a query waits when the database does not answer on any connection. */
const DATABASE_SILENT_MS = 3000;
const IDLE_STATES = ["idle", "idle in transaction", "idle in transaction (aborted)"];

type AskDatabase = Pick<Notifications, "query" | "isOpen">;

export function monitorSilence(pool: Pick<ConnectionPool, "connections">, database: AskDatabase): () => void {
  let isChecking = false;

  async function findIdle(connections: Connection[]): Promise<Set<number>> {
    const rows = await database.query<{ pid: number }>(
      "select pid from pg_stat_activity where pid = any($1::integer[]) and state = any($2::text[])",
      [connections.map(({ processID }) => processID), IDLE_STATES],
    );
    return new Set(rows.map(({ pid }) => pid));
  }

  async function check(): Promise<void> {
    const waiting = [...pool.connections].filter((connection) => connection.waitingMs() > SUSPECT_MS);
    if (waiting.length === 0) return;
    const askedAt = performance.now();
    try {
      const idle = await findIdle(waiting);
      const roundTripMs = performance.now() - askedAt;
      // Answers that have arrived are read before a connection is taken for silent.
      await setImmediate();
      for (const connection of waiting)
        if (connection.waitingMs() > SUSPECT_MS + 2 * roundTripMs && idle.has(connection.processID ?? 0))
          connection.abandon();
    } catch {
      for (const connection of waiting) if (connection.waitingMs() > DATABASE_SILENT_MS) connection.abandon();
    }
  }

  const timer = setInterval(() => {
    if (isChecking || !database.isOpen) return;
    isChecking = true;
    void check().finally(() => (isChecking = false));
  }, CHECK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** Ends the server's side of a connection that was given up, so that it keeps no locks. */
export async function terminateBackend(database: AskDatabase, { processID }: Connection): Promise<void> {
  await database
    .query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and application_name = 'lightkeeper' and usename = current_user",
      [processID],
    )
    .catch(() => undefined);
}
