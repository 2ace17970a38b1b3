/** Several processes with one PostgreSQL, and what survives a killed process. */
import {
  createNetwork,
  deleteNetwork,
  listAuditLogs,
  listNetworks,
  logInWithTotp,
  type Page,
  signOut,
  streamEvents,
  updateNetwork,
  verifyAuditLogs,
  whoami,
} from "@lightkeeper/contract";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientFor, codeFor, createAccount } from "./account.ts";
import { type ServerProcess, spawnServer, startServer, temporaryDataDir } from "./server-process.ts";
import { PATIENT } from "./steps.ts";
import { until } from "./until.ts";

let data: ReturnType<typeof temporaryDataDir>;
let running: ServerProcess[];

const start = async (port?: number) => {
  const server = await startServer({ dataDir: data.dataDir, ...(port !== undefined && { port }) });
  running.push(server);
  return server;
};

beforeEach(() => {
  data = temporaryDataDir();
  running = [];
});
afterEach(async () => {
  for (const server of running)
    if (server.child.exitCode === null && !server.child.killed) await server.stop();
  data.remove();
});

describe("two serve processes on one PostgreSQL", () => {
  it("share sessions and events", async () => {
    const one = await start();
    const other = await start();
    const account = await createAccount({ url: one.url, dataDir: data.dataDir });
    const elsewhere = clientFor(other.url, account.userToken, account.authToken);
    expect((await elsewhere(whoami)).actor).toMatchObject({ email: account.email });

    const stream = await elsewhere(streamEvents);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    const network = await account.call(createNetwork, { body: { name: "Made on one" } });
    let received = "";
    while (!received.includes(network.id)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The stream ended early: ${received}`);
      received += value;
    }
    expect(received).toContain('"noun":"networks"');
    expect((await elsewhere(listNetworks)).data.map(({ name }) => name)).toEqual(["Made on one"]);

    await account.call(signOut);
    for (;;) if ((await reader.read()).done) break;
    await expect(elsewhere(whoami)).rejects.toMatchObject({ code: "ERR_UNAUTHORIZED" });

    // The other process continues after the first has stopped.
    expect(await one.stop()).toBe(0);
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
  });

  it("count wrong codes together", async () => {
    const servers = [await start(), await start()];
    const account = await createAccount({ url: servers[0]!.url, dataDir: data.dataDir });
    const attempt = (index: number) =>
      clientFor(servers[index % 2]!.url, account.userToken)(logInWithTotp, {
        body: { code: "000000" },
      }).catch((error: { response: Response }) => error.response.status);
    const statuses = [];
    for (let index = 0; index < 11; index++) statuses.push(await attempt(index));
    expect(statuses).toEqual([...Array<number>(10).fill(400), 429]);
    const right = clientFor(servers[0]!.url, account.userToken)(logInWithTotp, {
      body: { code: codeFor(account.secret, 1) },
    });
    await expect(right).rejects.toMatchObject({ response: { status: 429 } });
  });
});

async function everyPage<Item>(
  fetchPage: (query: { pageSize: number; cursor: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const { data: found, metadata }: Page<Item> = await fetchPage({ pageSize: 500, cursor });
    items.push(...found);
    cursor = metadata.hasNextPage ? metadata.nextCursor : undefined;
  }
  return items;
}

describe("kill -9 of the server", () => {
  it("loses no acknowledged write of 200 mixed writes, and leaves none incomplete", async () => {
    const server = await start();
    const account = await createAccount({ url: server.url, dataDir: data.dataDir });
    const acknowledged = {
      created: new Map<string, string>(),
      updated: new Map<string, string>(),
      deleted: new Set<string>(),
    };
    let answered = 0;
    const write = async (index: number) => {
      const made = await account.call(createNetwork, { body: { name: `Network ${index}` } });
      acknowledged.created.set(made.id, made.name);
      answered += 1;
      const params = { networkID: made.id };
      if (index % 3 === 1) {
        const { name } = await account.call(updateNetwork, { params, body: { name: `Renamed ${index}` } });
        acknowledged.updated.set(made.id, name);
        answered += 1;
      }
      if (index % 3 === 2) {
        await account.call(deleteNetwork, { params });
        acknowledged.deleted.add(made.id);
        answered += 1;
      }
    };
    const writes = Array.from({ length: 120 }, (_, index) => write(index).catch(() => "cut off"));
    await until("half of the writes are acknowledged", () => answered >= 60, { everyMs: 1 });
    await server.kill();
    await Promise.all(writes);
    expect(answered).toBeLessThan(200);

    const again = await start();
    const call = clientFor(again.url, account.userToken, account.authToken);
    const kept = await everyPage((query) => call(listNetworks, { query }));
    const networks = new Map(kept.map(({ id, name }) => [id, name]));
    const logs = await everyPage((query) => call(listAuditLogs, { query }));
    const audit = logs.map(({ target, event }) => ({ type: target.type, id: target.id, event: event.type }));
    const entriesOf = (id: string, event: string) =>
      audit.filter((entry) => entry.id === id && entry.event === event);

    for (const [id] of acknowledged.created) {
      expect(entriesOf(id, "CREATED")).toHaveLength(1);
      expect(entriesOf(id, "SET_NETWORK_CA")).toHaveLength(1);
      if (!acknowledged.deleted.has(id) && entriesOf(id, "DELETED").length === 0)
        expect(networks.has(id)).toBe(true);
    }
    for (const [id, name] of acknowledged.updated) {
      expect(networks.get(id)).toBe(name);
      expect(entriesOf(id, "UPDATED")).toHaveLength(1);
    }
    for (const id of acknowledged.deleted) {
      expect(networks.has(id)).toBe(false);
      expect(entriesOf(id, "DELETED")).toHaveLength(1);
    }
    // Every object has its audit entries, and every audit entry has its object.
    for (const [id] of networks) expect(entriesOf(id, "CREATED")).toHaveLength(1);
    const created = audit.filter(({ type, event }) => type === "network" && event === "CREATED");
    const deleted = audit.filter(({ type, event }) => type === "network" && event === "DELETED");
    expect(networks.size).toBe(created.length - deleted.length);

    await expect
      .poll(() => call(verifyAuditLogs), PATIENT)
      .toMatchObject({ ok: true, entries: audit.length });
  });
});

describe("Ctrl-C", () => {
  const postmaster = () => existsSync(join(data.dataDir, "postgres/postmaster.pid"));

  it("stops server and database, and the next start has all data", async () => {
    const server = await start();
    const account = await createAccount({ url: server.url, dataDir: data.dataDir });
    expect(postmaster()).toBe(true);
    expect(await server.stop()).toBe(0);
    expect(postmaster()).toBe(false);
    const again = await start();
    const call = clientFor(again.url, account.userToken, account.authToken);
    expect((await call(whoami)).actor).toMatchObject({ email: account.email });
  });

  it("leaves no database running when pressed during the start", async () => {
    const { child, exited } = await spawnServer({ dataDir: data.dataDir });
    await until("the database starts", postmaster, { everyMs: 5 });
    child.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(postmaster()).toBe(false);
  });
});
