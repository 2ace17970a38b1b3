/** Stops the HTTP server without failing a request that a client could still send in good faith. */
import { setMaxListeners } from "node:events";
import { Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

export interface Shutdown {
  readonly hasBegun: boolean;
  /**
   * Fails the readiness check and tells every client to close its connection after the response. Requests are still
   * served until the server is closed. `idleMs`: how long a connection may then be idle before it is closed.
   */
  begin: (options?: { idleMs: number }) => void;
  /** Aborted when the server is closed: long polls return and streams end. */
  signal: AbortSignal;
}

const CLOSE_IDLE_EVERY_MS = 50;

export function createShutdown(app: FastifyInstance): Shutdown {
  const closing = new AbortController();
  // Every open stream listens.
  setMaxListeners(0, closing.signal);
  const closeUnused = trackUnusedConnections(app);
  let hasBegun = false;
  let idleMs = 0;

  // Early for streams, which send their headers themselves; late for requests that arrived before the shutdown.
  app.addHook("onRequest", async (_request, reply) => {
    if (hasBegun) void reply.header("connection", "close");
  });
  app.addHook("onSend", async (_request, reply) => {
    if (hasBegun) void reply.header("connection", "close");
  });
  app.addHook("preClose", async () => {
    hasBegun = true;
    // Of `net`, because the one of `http` also closes idle connections, on which a request may be arriving.
    Server.prototype.close.call(app.server);
    closing.abort();
    if (idleMs > 0) await sleep(idleMs);
    const closeIdle = () => {
      app.server.closeIdleConnections();
      closeUnused();
    };
    closeIdle();
    const timer = setInterval(closeIdle, CLOSE_IDLE_EVERY_MS);
    app.server.once("close", () => clearInterval(timer));
  });

  return {
    get hasBegun() {
      return hasBegun;
    },
    begin: (options) => {
      hasBegun = true;
      idleMs = options?.idleMs ?? 0;
    },
    signal: closing.signal,
  };
}

/** Browsers open connections in advance. One that was never used does not count as idle to Node. */
function trackUnusedConnections(app: FastifyInstance): () => void {
  const unused = new Set<Socket>();
  app.server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  app.addHook("onRequest", async ({ raw }) => void unused.delete(raw.socket));
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  };
}
