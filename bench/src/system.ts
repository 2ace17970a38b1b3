/**
 * The server in this process on a PostgreSQL of its own, with organizations of any size. PostgreSQL gives up
 * durability: waiting for the disk, which takes both sides equally long, would hide what is measured.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createApp } from "../../server/src/app/app.ts";
import { readConfig } from "../../server/src/infrastructure/config/config.ts";
import { createContext } from "../../server/src/infrastructure/context/context.ts";
import { createDatabase } from "../../server/src/infrastructure/db/client.ts";
import { COMMAND_LIMITS, createPool } from "../../server/src/infrastructure/db/pool.ts";
import { migrate } from "../../server/src/infrastructure/db/migrate.ts";
import { startEmbeddedPostgres } from "@lightkeeper/postgres";
import { createOwner, signInOwner } from "../../server/src/seeds/owner.ts";
import { seed } from "../../server/src/seeds/seed.ts";

export interface Organization {
  id: string;
  hosts: number;
  /** Sends a request and answers what came back, with how long the server took from its arrival to the answer's end. */
  request: (method: "GET" | "POST" | "DELETE", path: string, body?: object) => Promise<Answer>;
  /** Reads an answer as it comes and keeps nothing of it; how many lines it had. */
  download: (path: string) => Promise<number>;
}

export interface Answer {
  serverMs: number;
  body: { data: unknown; metadata: { nextCursor?: string; totalCount?: number } };
}

export interface System {
  createOrganization: (hosts: number) => Promise<Organization>;
  query: <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** What autovacuum does some time after so many rows came. */
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
  const db = createDatabase(
    createPool({
      connectionString: database.connectionString,
      limits: COMMAND_LIMITS,
      onError: () => undefined,
    }),
  );
  await migrate(db);
  await db.destroy();
  return database;
}

const LINE_FEED = 10;

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

export async function startSystem(): Promise<System> {
  const dataDir = mkdtempSync(join(tmpdir(), "lightkeeper-bench-"));
  // As root the database runs under another account, which has to reach this directory.
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

  async function createOrganization(hosts: number): Promise<Organization> {
    const owner = await createOwner(ctx, { email: `owner-of-${hosts}@example.com`, now: ctx.clock() });
    await seed(ctx, { organizationID: owner.organizationID, hosts, now: ctx.clock() });
    const { userToken, authToken } = await signInOwner(ctx, owner, "benchmark");
    const headers = { authorization: `Bearer ${userToken} ${authToken}` };
    const download = async (path: string) => {
      const { body } = await fetch(url + path, { headers });
      let lines = 0;
      for await (const chunk of body ?? []) lines += countLines(chunk);
      return lines;
    };
    return {
      id: owner.organizationID,
      download,
      hosts,
      request: async (method, path, body) => {
        const answer = await fetch(url + path, {
          method,
          headers,
          ...(body && { body: JSON.stringify(body) }),
        });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        return { serverMs, body: JSON.parse(text) as Answer["body"] };
      },
    };
  }

  return {
    createOrganization,
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
