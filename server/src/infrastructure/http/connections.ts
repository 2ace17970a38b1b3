import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.ts";
import { rejectConnection, REQUEST_TIMEOUT } from "./error-responses.ts";
import { endThenDestroy } from "./end-then-destroy.ts";

/** Requests must arrive completely within this time, except on routes marked `takesTime`. */
export function limitRequests(app: FastifyInstance, config: Config, withinMs: number): void {
  app.server.headersTimeout = withinMs;
  app.addHook("onRequest", async ({ raw, routeOptions }) => {
    if (routeOptions.config.takesTime || raw.complete) return;
    const timer = setTimeout(() => {
      if (!raw.complete) rejectConnection(config, { code: REQUEST_TIMEOUT }, raw.socket);
    }, withinMs).unref();
    raw.once("close", () => clearTimeout(timer));
  });
}

const announcesBody = ({ headers }: IncomingMessage) =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

/**
 * Closes the connection when a response was sent before the request's body had arrived. What still arrives is
 * discarded for a moment first: closing immediately resets the connection, and the client could lose the response.
 */
export function closeAfterEarlyResponses(app: FastifyInstance): void {
  const closing = new WeakSet<Socket>();
  app.addHook("onRequest", async ({ raw }, reply) => {
    // Pipelined behind the body that is being discarded: it can no longer get a response.
    if (closing.has(raw.socket)) reply.hijack();
  });
  app.addHook("onSend", async ({ raw }, reply) => {
    if (raw.complete || !announcesBody(raw)) return;
    void reply.header("connection", "close");
    closing.add(raw.socket);
    // Node calls this when the last response of a connection has been written.
    raw.socket.destroySoon = () => endThenDestroy(raw.socket, raw);
  });
}
