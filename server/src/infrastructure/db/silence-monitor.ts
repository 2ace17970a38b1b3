/** Finds connections whose response was lost, without limiting how long the database may work on a query. */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import type { Notifications } from "./notifications.ts";
import type { ConnectionPool } from "./pool.ts";
import { SECOND_MS } from "../time/durations.ts";

const CHECK_INTERVAL_MS = 100;
/** A query that waits longer is looked up in the database over another connection. */
const SUSPECT_MS = 250;
/** The delay before the second lookup: a busy database may not have started on the query yet. */
const CONFIRM_MS = 250;
/** How long a query waits when the database doesn't respond on any connection. */
const DATABASE_SILENT_MS = 3 * SECOND_MS;
const IDLE_STATES = ["idle", "idle in transaction", "idle in transaction (aborted)"];

type ActivityDatabase = Pick<Notifications, "query" | "isOpen">;

export function monitorSilence(
  pool: Pick<ConnectionPool, "connections">,
  database: ActivityDatabase,
): () => void {
  let isChecking = false;

  /** Returns the connections that the database isn't working for. */
  async function findIdle(connections: Connection[]): Promise<Connection[]> {
    const rows = await database.query<{ pid: number }>(
      "select pid from pg_stat_activity where pid = any($1::integer[]) and state = any($2::text[])",
      [connections.map(({ processID }) => processID), IDLE_STATES],
    );
    const idle = new Set<number | null>(rows.map(({ pid }) => pid));
    return connections.filter(({ processID }) => idle.has(processID));
  }

  async function check(): Promise<void> {
    const startedAt = performance.now();
    const waiting = [...pool.connections].filter((connection) => connection.waitingMs() > SUSPECT_MS);
    if (waiting.length === 0) return;
    try {
      const suspects = await findIdle(waiting);
      if (suspects.length === 0) return;
      await sleep(CONFIRM_MS);
      const silent = await findIdle(suspects);
      // Responses that have arrived are read first.
      await setImmediate();
      const checkedMs = performance.now() - startedAt;
      for (const connection of silent)
        if (connection.waitingMs() > SUSPECT_MS + checkedMs) connection.abandon();
    } catch {
      for (const connection of waiting) if (connection.waitingMs() > DATABASE_SILENT_MS) connection.abandon();
    }
  }

  const timer = setInterval(() => {
    if (isChecking || !database.isOpen) return;
    isChecking = true;
    void check().finally(() => (isChecking = false));
  }, CHECK_INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** Ends the database's side of an abandoned connection, so that it keeps no locks. */
export async function terminateBackend(database: ActivityDatabase, { processID }: Connection): Promise<void> {
  await database
    .query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and application_name = 'lightkeeper' and usename = current_user",
      [processID],
    )
    .catch(() => undefined);
}
