/** Finds out what is between this process and PostgreSQL. */
import pg from "pg";
import { SECOND_MS } from "../time/durations.ts";

const CONNECT_MS = 3 * SECOND_MS;
/** On a busy pooler, another client may use the session in between, so that one round finds nothing. */
const ROUNDS = 5;

interface IdentifiedClient extends pg.Client {
  /** The session's process, as it was reported when the connection was opened. */
  processID: number | null;
}

async function connect(connectionString: string): Promise<IdentifiedClient> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  // Without a listener, a connection that breaks would end the process.
  client.on("error", () => undefined);
  await client.connect();
  return client as IdentifiedClient;
}

async function readProcessID(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ id: number }>("select pg_backend_pid() as id");
  return rows[0]!.id;
}

/** Whether another client gets the client's session while the client isn't in a transaction. */
async function isSessionShared(client: IdentifiedClient, other: IdentifiedClient): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await readProcessID(client);
    await other.query("begin");
    const ids = [await readProcessID(other), await readProcessID(client)];
    await other.query("rollback");
    if (ids[0] === before || ids[1] !== before) return true;
  }
  return false;
}

/** Whether the URL leads to a connection pooler that assigns a session for each transaction, as PgBouncer can. */
export async function isTransactionPooler(connectionString: string): Promise<boolean> {
  const client = await connect(connectionString);
  try {
    // PostgreSQL reports the process that runs the session; a pooler doesn't know it yet.
    if (client.processID === (await readProcessID(client))) return false;
    const other = await connect(connectionString);
    try {
      return await isSessionShared(client, other);
    } finally {
      await other.end();
    }
  } finally {
    await client.end();
  }
}

/** The settings of a new session, by their names. Times are in milliseconds. */
export async function readSettings(
  connectionString: string,
  names: readonly string[],
): Promise<Record<string, number>> {
  const client = await connect(connectionString);
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      "select name, setting from pg_settings where name = any($1::text[])",
      [names],
    );
    return Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
  } finally {
    await client.end();
  }
}
