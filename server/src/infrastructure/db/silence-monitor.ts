/** Finds connections whose answer will not come, without a limit on how long the database may work on one. */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import type { Notifications } from "./notifications.ts";
import type { ConnectionPool } from "./pool.ts";

const CHECK_EVERY_MS = 100;
/** How long a query waits before the database is asked, on another connection, whether it works on it. */
const SUSPECT_MS = 250;
/** How much longer it waits before the database is asked again: a busy machine may not have started on it yet. */
const CONFIRM_MS = 250;
/** How long a query waits when the database does not answer on any connection. */
const DATABASE_SILENT_MS = 3000;
const IDLE_STATES = ["idle", "idle in transaction", "idle in transaction (aborted)"];

type AskDatabase = Pick<Notifications, "query" | "isOpen">;

export function monitorSilence(pool: Pick<ConnectionPool, "connections">, database: AskDatabase): () => void {
  let isChecking = false;

  /** Those that the database does not work for, although a query waits. */
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
      // Answers that have arrived are read before a connection is taken for silent.
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
