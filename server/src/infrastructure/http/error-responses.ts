/** Converts every thrown error to a response. */
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorBody } from "@lightkeeper/contract";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import type { Context } from "../context/context.ts";
import { newId } from "../crypto/ids.ts";
import { ApiError, payloadTooLarge } from "../errors/api-error.ts";
import { endThenDestroy } from "./end-then-destroy.ts";
import { commonHeaders } from "./security.ts";

const NETWORK_ERROR_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENOTFOUND",
]);
const QUERY_CANCELED = "57014";
const PAYLOAD_TOO_LARGE = 413;

function isDatabaseUnavailable(error: Error & { code?: string; syscall?: string }): boolean {
  const { code = "", message, syscall } = error;
  // 08: connection exception, 25006: not the primary, 25P03: idle in transaction for too long, 40P01: deadlock, 53: out
  // of resources, 55P03: lock timeout, 57P: shutting down or starting, 58: a system error such as a failed disk.
  if (/^(08|25006|25P03|40P01|53|55P03|57P|58)/.test(code)) return true;
  if (NETWORK_ERROR_CODES.has(code) && (syscall === "connect" || syscall === "read" || syscall === "write"))
    return true;
  return /^(Connection terminated|timeout (expired|exceeded)|Client has encountered a connection error|Client was closed)/.test(
    message,
  );
}

const malformedError = () => new ApiError("ERR_INVALID_VALUE", { message: "malformed request" });

function toApiError(error: unknown, request: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as FastifyError;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return payloadTooLarge(request.routeOptions.bodyLimit);
  if (code === QUERY_CANCELED) return new ApiError("ERR_TIMEOUT");
  if (isDatabaseUnavailable(error)) return new ApiError("ERR_UNAVAILABLE");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return malformedError();
  return undefined;
}

export function sendApiError(reply: FastifyReply, error: ApiError): FastifyReply {
  if (error.retryAfterSeconds) void reply.header("retry-after", error.retryAfterSeconds);
  // The rest of the body is not read.
  if (error.status === PAYLOAD_TOO_LARGE) void reply.header("connection", "close");
  void reply.header("cache-control", "no-store");
  const body: ErrorBody = { errors: error.errors };
  return reply.status(error.status).type("application/json; charset=utf-8").send(JSON.stringify(body));
}

export function handleErrors(app: FastifyInstance, ctx: Context): void {
  app.setErrorHandler((error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = toApiError(error, request);
    if (known) {
      if (known.status >= 500) ctx.log.warn({ requestID: request.id, err: error }, "service unavailable");
      return sendApiError(reply, known);
    }
    ctx.log.error({ requestID: request.id, err: error }, "unexpected error");
    ctx.report.error(error, request.id);
    return sendApiError(reply, new ApiError("ERR_INTERNAL_SERVER_ERROR"));
  });
}

/** For requests that fail before routing, such as a path that cannot be decoded. */
export function rejectBeforeRouting(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  void sendApiError(reply.headers(commonHeaders(config, request.id)), malformedError());
}

/** Error code of Node.js. */
export const REQUEST_TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT";

/** For input that is not HTTP or never ends: writes the same response to the socket directly. */
export function rejectConnection(config: Config, { code }: { code?: string }, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const { status, errors } = code === REQUEST_TIMEOUT ? new ApiError("ERR_TIMEOUT") : malformedError();
  const body = JSON.stringify({ errors } satisfies ErrorBody);
  const headers = {
    ...commonHeaders(config, newId("req")),
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
  endThenDestroy(socket);
}
