/**
 * The server in this process with its own PostgreSQL and organizations of any size. PostgreSQL runs without durability,
 * because waiting for the disk would hide differences.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";
import { type Context, createApp, createContext, migrateDatabase, readConfig } from "@lightkeeper/server/app";
import { createOwner, seed, logInOwner } from "@lightkeeper/server/seeds";

export interface Organization {
  id: string;
  hosts: number;
  /** Sends a request; returns the response and the time that the server needed for it. */
  request: (
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    body?: object,
  ) => Promise<MeasuredResponse>;
  /** Reads a response without storing it; returns the number of lines. */
  download: (path: string) => Promise<number>;
}

export interface MeasuredResponse {
  serverMs: number;
  body: { data: unknown; metadata: { nextCursor?: string; totalCount?: number } };
}

export interface System {
  createOrganization: (hosts: number) => Promise<Organization>;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** Runs vacuum and analyze, like autovacuum does after many inserts. */
  settle: () => Promise<void>;
  stop: () => Promise<void>;
}

async function startDatabase(dataDir: string) {
  const database = await startEmbeddedPostgres({
    dataDir,
    database: "bench",
    log: () => undefined,
    fast: true,
  });
  await migrateDatabase(database.connectionString);
  return database;
}

const LINE_FEED = 10;

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

interface RunningServer {
  ctx: Context;
  url: string;
  /** How long the last response took. */
  serverMs: () => number;
}

async function createOrganization(
  { ctx, url, serverMs }: RunningServer,
  hosts: number,
): Promise<Organization> {
  const owner = await createOwner(ctx, { email: `owner-of-${hosts}@example.com`, now: ctx.clock() });
  await seed(ctx, { organizationID: owner.organizationID, hosts, now: ctx.clock() });
  const { userToken, authToken } = await logInOwner(ctx, owner, "benchmark");
  const headers = { authorization: `Bearer ${userToken} ${authToken}` };
  return {
    id: owner.organizationID,
    hosts,
    download: async (path) => {
      const { body } = await fetch(url + path, { headers });
      let lines = 0;
      for await (const chunk of body ?? []) lines += countLines(chunk);
      return lines;
    },
    request: async (method, path, body) => {
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return { serverMs: serverMs(), body: JSON.parse(text) as MeasuredResponse["body"] };
    },
  };
}

export async function startSystem(): Promise<System> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  // As root, the database runs as another user, who needs access to this directory.
  chmodSync(dataDir, 0o711);
  const database = await startDatabase(dataDir);
  const { connectionString } = database;
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const ctx = createContext({ config, connectionString, version: "1.2.3" });
  const { http, outbox } = createApp(ctx);
  let serverMs = 0;
  http.addHook("onResponse", async (_request, reply) => {
    serverMs = reply.elapsedTime;
  });
  await http.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
  const pool = new pg.Pool({ connectionString, max: 1 });

  return {
    createOrganization: (hosts) => createOrganization({ ctx, url, serverMs: () => serverMs }, hosts),
    query: async (text, values = []) => (await pool.query(text, values)).rows,
    settle: async () => void (await pool.query("vacuum analyze")),
    stop: async () => {
      await http.close();
      await outbox.stop();
      await pool.end();
      await ctx.dispose();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
