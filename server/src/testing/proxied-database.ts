/** A database behind a proxy that can disconnect, delay or freeze its connections. */
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
  /** Forwards nothing in either direction, not even that one side has closed the connection. */
  freeze: () => void;
  thaw: () => void;
}

export interface ProxiedDatabase extends TestDatabase {
  /** Closes every connection and accepts no new ones. */
  disconnect: () => Promise<void>;
  /** Accepts connections and never responds. */
  hang: () => Promise<void>;
  /** Delays everything that is sent to the database. */
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

/** PostgreSQL's socket in the directory that a connection string names. */
const SOCKET_NAME = ".s.PGSQL.5432";

/** Reads the application name from the startup message of a connection. */
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
  const forward = (bytes: Buffer) => {
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
      for (const bytes of toDatabase) forward(bytes);
      for (const bytes of toClient) client.write(bytes);
      [toDatabase, toClient] = [[], []];
    },
  };
  client.on("data", (bytes: Buffer) => {
    if (sentBytes === 0) result.applicationName = applicationNameIn(bytes);
    sentBytes += bytes.length;
    if (frozen) toDatabase.push(bytes);
    else forward(bytes);
  });
  database.on("data", (bytes: Buffer) => {
    if (frozen) toClient.push(bytes);
    else client.write(bytes);
  });
  client.on("close", () => frozen || database.destroy());
  database.on("close", () => frozen || client.destroy());
  return result;
}

/** A server on a socket that can close all of its connections. */
function createSocketServer(path: string) {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const disconnect = async () => {
    const closing = server;
    server = undefined;
    for (const socket of sockets) socket.destroy();
    if (closing) await new Promise((resolve) => closing.close(resolve));
  };
  const listen = async (connected: (socket: Socket) => void) => {
    await disconnect();
    server = createServer((socket) => {
      track(socket);
      connected(socket);
    });
    const listening = server;
    await new Promise<void>((resolve) => listening.listen(path, resolve));
  };
  return { track, disconnect, listen };
}

export async function createProxiedDatabase(): Promise<ProxiedDatabase> {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  const databasePath = join(url.searchParams.get("host") ?? "", SOCKET_NAME);
  const directory = mkdtempSync(join(tmpdir(), "lk-proxy-"));
  url.searchParams.set("host", directory);
  const { track, disconnect, listen } = createSocketServer(join(directory, SOCKET_NAME));
  const pipes = new Set<Pipe>();
  let isFrozen = false;
  let delayMs = 0;

  const restore = () =>
    listen((socket) => {
      const upstream = createConnection(databasePath);
      track(upstream);
      const piped = pipe(socket, upstream, { isFrozen, delayMs: () => delayMs });
      pipes.add(piped);
      upstream.on("close", () => pipes.delete(piped));
    });
  const setFrozen = (frozen: boolean) => {
    isFrozen = frozen;
    for (const connection of pipes)
      if (frozen) connection.freeze();
      else connection.thaw();
  };

  await restore();
  return {
    url: url.href,
    disconnect,
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
      await disconnect();
      rmSync(directory, { recursive: true, force: true });
      await database.drop();
    },
  };
}
