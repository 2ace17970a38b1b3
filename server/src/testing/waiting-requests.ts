import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { TestServer } from "./server.ts";

/**
 * Starts a request while the organization is locked, makes a change once the request waits for that lock, and answers
 * what the request comes to after the change.
 */
export async function changeWhileWaiting<T>(
  { database, query }: TestServer,
  organizationID: string,
  { request, change }: { request: () => Promise<T>; change: string },
): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select id from organizations where id = $1 for no key update", [organizationID]);
    let isAnswered = false;
    const answer = request().finally(() => (isAnswered = true));
    const waiting =
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    // A request that does not wait comes to what it would without the change.
    while (!isAnswered && (await query(waiting)).length === 0) await sleep(10);
    await client.query(change);
    await client.query("commit");
    return await answer;
  } finally {
    await client.end();
  }
}
