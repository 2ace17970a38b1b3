/** The least that a server can do for the same data: a bare HTTP server with a pool of bare connections. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";

/** The argument that makes the benchmarks' program a bare server. */
export const BARE_ARGUMENT = "--bare";

const CONNECTIONS = 10;

const LIST = {
  name: "list",
  text: `select hosts.*, host_presence.last_seen_at from hosts
    join host_presence on host_presence.host_id = hosts.id
    where hosts.organization_id = $1 order by hosts.created_at, hosts.id limit 25`,
};
const TABLES = `
  create table bare_hosts (id text primary key, organization_id text not null, data jsonb not null);
  create table bare_audit_logs (id text primary key, organization_id text not null, data jsonb not null)`;
const INSERT_HOST = { name: "host", text: "insert into bare_hosts values ($1, $2, $3) returning *" };
const INSERT_ENTRY = { name: "entry", text: "insert into bare_audit_logs values ($1, $2, $3)" };

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

async function insert(pool: pg.Pool, organizationID: string, body: string): Promise<unknown[]> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const { rows } = await client.query({ ...INSERT_HOST, values: [randomUUID(), organizationID, body] });
    await client.query({ ...INSERT_ENTRY, values: [randomUUID(), organizationID, body] });
    await client.query("commit");
    return rows;
  } finally {
    client.release();
  }
}

export async function runBareServer(connectionString: string, organizationID: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS });
  await pool.query(TABLES);
  const respond = async (request: IncomingMessage): Promise<unknown[]> => {
    if (request.method === "POST") return insert(pool, organizationID, await readBody(request));
    return (await pool.query({ ...LIST, values: [organizationID] })).rows;
  };
  const server = createServer((request, response) => {
    respond(request).then(
      (data) => response.setHeader("content-type", "application/json").end(JSON.stringify({ data })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit());
}
