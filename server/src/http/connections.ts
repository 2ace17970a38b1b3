import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

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
