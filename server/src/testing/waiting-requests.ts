import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { TestServer } from "./server.ts";

/** Starts a request that waits for the organization's lock, makes a change meanwhile, and returns the response. */
export async function changeWhileWaiting<T>(
  { database, countLockWaits }: TestServer,
  organizationID: string,
  { request, change }: { request: () => Promise<T>; change: string },
): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select id from organizations where id = $1 for no key update", [organizationID]);
    let isFinished = false;
    const response = request().finally(() => (isFinished = true));
    // A request that never waits gets the response it would get without the change.
    while (!isFinished && (await countLockWaits()) === 0) await sleep(10);
    await client.query(change);
    await client.query("commit");
    return await response;
  } finally {
    await client.end();
  }
}
