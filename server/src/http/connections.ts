import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { refuseConnection, REQUEST_TIMEOUT } from "./failures.ts";

/**
 * Browsers open connections in advance. One that has not asked anything counts as busy and would hold up
 * the end of the server until it times out.
 */
export function closeUnusedConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>();
  app.server.on("connection", (socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  app.addHook("onRequest", async (request) => void unused.delete(request.raw.socket));
  app.addHook("preClose", async () => {
    for (const socket of unused) socket.destroy();
  });
}

/** A request has to have come in by then, unless its route says that it takes time. */
export function limitRequests(app: FastifyInstance, config: Config, withinMs: number): void {
  app.server.headersTimeout = withinMs;
  app.addHook("onRequest", async ({ raw, routeOptions }) => {
    if (routeOptions.config.takesTime || raw.complete) return;
    const timer = setTimeout(() => {
      if (!raw.complete) refuseConnection(config, { code: REQUEST_TIMEOUT }, raw.socket);
    }, withinMs).unref();
    raw.once("close", () => clearTimeout(timer));
  });
}
