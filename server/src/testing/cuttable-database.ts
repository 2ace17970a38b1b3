/** A database whose line can be cut: a socket of our own in front of the real one. */
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export interface CuttableDatabase extends TestDatabase {
  /** Every connection breaks and no new one is made. */
  cut: () => Promise<void>;
  /** Connections are taken and never answered. */
  hang: () => Promise<void>;
  restore: () => Promise<void>;
}

export async function createCuttableDatabase(): Promise<CuttableDatabase> {
  const database = await createTestDatabase();
  const url = new URL(database.url);
  const behind = join(url.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const directory = mkdtempSync(join(tmpdir(), "lk-cut-"));
  url.searchParams.set("host", directory);
  const sockets = new Set<Socket>();
  let server: Server | undefined;

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
      socket.on("close", () => onward.destroy());
      onward.on("close", () => socket.destroy());
      socket.pipe(onward).pipe(socket);
    });

  await restore();
  return {
    url: url.href,
    cut,
    hang: () => listen(() => undefined),
    restore,
    drop: async () => {
      await cut();
      rmSync(directory, { recursive: true, force: true });
      await database.drop();
    },
  };
}
