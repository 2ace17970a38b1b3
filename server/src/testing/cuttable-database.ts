/** A database whose connections can be cut or frozen: a proxy in front of the real one. */
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, type TestDatabase } from "./database.ts";

/** A connection through the proxy. */
export interface ProxiedConnection {
  applicationName: string;
  /** How many bytes the client has sent. */
  sentBytes: () => number;
  /** Passes nothing on in either direction, not even that one side has closed the connection. */
  freeze: () => void;
  thaw: () => void;
}

export interface CuttableDatabase extends TestDatabase {
  /** Every connection breaks and no new one is made. */
  cut: () => Promise<void>;
  /** Connections are taken and never answered. */
  hang: () => Promise<void>;
  /** Whatever is sent to it arrives later. */
  slowDown: (ms: number) => void;
  restore: () => Promise<void>;
  /** Open connections, in the order they were opened. */
  connections: (applicationName?: string) => ProxiedConnection[];
  /** Freezes every connection, and new ones from their first byte, as a stopped database does. */
  freeze: () => void;
  thaw: () => void;
}

interface Pipe extends ProxiedConnection {
  client: Socket;
}

/** The name that a client gives in its startup message, which begins every connection. */
const applicationNameIn = (startup: Buffer) => {
  const parts = startup.toString("latin1", 8).split("\0");
  return parts[parts.indexOf("application_name") + 1] ?? "";
};

function pipe(
  client: Socket,
  database: Socket,
  { isFrozen, delayMs }: { isFrozen: boolean; delayMs: () => number },
): Pipe {
  let frozen = isFrozen;
  let written = Promise.resolve();
  const pass = (bytes: Buffer) => {
    const due = sleep(delayMs());
    written = written.then(() => due).then(() => void database.write(bytes));
  };
  let toDatabase: Buffer[] = [];
  let toClient: Buffer[] = [];
  let sentBytes = 0;
  const result: Pipe = {
    client,
    applicationName: "",
    sentBytes: () => sentBytes,
    freeze: () => void (frozen = true),
    thaw: () => {
      frozen = false;
      if (client.destroyed) database.destroy();
      if (database.destroyed) client.destroy();
      for (const bytes of toDatabase) pass(bytes);
      for (const bytes of toClient) client.write(bytes);
      [toDatabase, toClient] = [[], []];
    },
  };
  client.on("data", (bytes: Buffer) => {
    if (sentBytes === 0) result.applicationName = applicationNameIn(bytes);
    sentBytes += bytes.length;
    if (frozen) toDatabase.push(bytes);
    else pass(bytes);
  });
  database.on("data", (bytes: Buffer) => {
    if (frozen) toClient.push(bytes);
    else client.write(bytes);
  });
  client.on("close", () => frozen || database.destroy());
  database.on("close", () => frozen || client.destroy());
  return result;
}

export async function createCuttableDatabase(): Promise<CuttableDatabase> {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  const behind = join(url.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const directory = mkdtempSync(join(tmpdir(), "lk-cut-"));
  url.searchParams.set("host", directory);
  const sockets = new Set<Socket>();
  const pipes = new Set<Pipe>();
  let isFrozen = false;
  let server: Server | undefined;
  let delayMs = 0;

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const cut = async () => {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (closing) await new Promise((resolve) => closing.close(resolve));
  };
  const listen = async (connected: (socket: Socket) => void) => {
    await cut();
    server = createServer((socket) => {
      keep(socket);
      connected(socket);
    });
    const listening = server;
    await new Promise<void>((resolve) => listening.listen(join(directory, ".s.PGSQL.5432"), resolve));
  };
  const restore = () =>
    listen((socket) => {
      const onward = createConnection(behind);
      keep(onward);
      const piped = pipe(socket, onward, { isFrozen, delayMs: () => delayMs });
      pipes.add(piped);
      onward.on("close", () => pipes.delete(piped));
    });
  const setFrozen = (frozen: boolean) => {
    isFrozen = frozen;
    for (const each of pipes)
      if (frozen) each.freeze();
      else each.thaw();
  };

  await restore();
  return {
    url: url.href,
    cut,
    hang: () => listen(() => undefined),
    slowDown: (ms) => void (delayMs = ms),
    restore,
    connections: (name) =>
      [...pipes].filter(
        ({ applicationName, client }) =>
          !client.destroyed && (name === undefined || applicationName === name),
      ),
    freeze: () => setFrozen(true),
    thaw: () => setFrozen(false),
    drop: async () => {
      await cut();
      rmSync(directory, { recursive: true, force: true });
      await database.drop();
    },
  };
}
