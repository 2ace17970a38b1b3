/** What applies to every request: limits, headers, errors and the log. */
import { BODY_BYTES_MAX, sendAgentMessage } from "@lightkeeper/contract";
import { isRequestID, REQUEST_ID_HEADER } from "@lightkeeper/contract/request-id";
import Fastify, { type FastifyInstance } from "fastify";
import type { Context } from "../infrastructure/context/context.ts";
import { newId } from "../infrastructure/crypto/ids.ts";
import { ApiError } from "../infrastructure/errors/api-error.ts";
import { closeAfterEarlyResponses, limitRequests } from "../infrastructure/http/connections.ts";
import {
  rejectConnection,
  rejectBeforeRouting,
  handleErrors,
} from "../infrastructure/http/error-responses.ts";
import { type AllowanceName, limitRequestRate } from "../infrastructure/http/request-rate.ts";
import { compressLargeResponses } from "../infrastructure/http/compression.ts";
import { serveDate, serveSecurityHeaders } from "../infrastructure/http/security.ts";
import { createShutdown, type Shutdown } from "../infrastructure/http/shutdown.ts";
import { MINUTE_MS, SECOND_MS } from "../infrastructure/time/durations.ts";

declare module "fastify" {
  interface FastifyRequest {
    actorID: string | undefined;
  }
  interface FastifyContextConfig {
    /** The body may arrive slowly. */
    takesTime?: boolean;
    /** The allowance that requests count against; "general" by default. */
    allowance?: AllowanceName;
  }
}

/** Node's limit for the head of a request, so that a path with a long ID is a 404. */
const PATH_BYTES_MAX = 16 * 1024;
const REQUEST_MS = 30 * SECOND_MS;
/** Longer than a log stream, which lasts up to ten minutes. */
const LONGEST_REQUEST_MS = 15 * MINUTE_MS;

/** Creates the HTTP server with everything that applies to every request, but without endpoints. */
export function createHttpServer(ctx: Context): { http: FastifyInstance; shutdown: Shutdown } {
  const http = Fastify({
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: trustProxies(ctx.config.trustProxy),
    // Node joins a repeated header with a comma, so that it isn't valid.
    genReqId: ({ headers: { [REQUEST_ID_HEADER]: sent } }) => (isRequestID(sent) ? sent : newId("req")),
    requestIdHeader: false,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    requestTimeout: LONGEST_REQUEST_MS,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: PATH_BYTES_MAX },
    frameworkErrors: (_error, request, reply) => rejectBeforeRouting(ctx.config, request, reply),
    clientErrorHandler: (error, socket) => rejectConnection(ctx.config, error, socket),
  });
  // Agents send no content type, so every body is parsed as JSON.
  http.removeAllContentTypeParsers();
  http.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  http.decorateRequest("actorID", undefined);

  const shutdown = createShutdown(http);
  closeAfterEarlyResponses(http);
  limitRequests(http, ctx.config, REQUEST_MS);
  serveSecurityHeaders(http, ctx.config);
  limitRequestRate(http, ctx.config);
  rejectUnknownPaths(http);
  serveDate(http, ctx.clock);
  compressLargeResponses(http);
  handleErrors(http, ctx);
  logRequests(http, ctx);
  return { http, shutdown };
}

/** Trusts the X-Forwarded-For header of this many proxies, counted from the server. */
const trustProxies = (proxyCount: false | number) =>
  proxyCount !== false && ((_address: string, hop: number) => hop < proxyCount);

/** Rejects unknown paths before the body is read. GET requests continue, because they may be for the console. */
function rejectUnknownPaths(http: FastifyInstance): void {
  http.addHook("onRequest", async ({ is404, method }) => {
    if (is404 && method !== "GET" && method !== "HEAD") throw new ApiError("ERR_NOT_FOUND");
  });
}

function logRequests(http: FastifyInstance, { log }: Context): void {
  http.addHook("onResponse", async (request, reply) => {
    const { statusCode } = reply;
    // The polls of every host and the requests beyond a rate limit would bury the other requests.
    const isRoutine = request.routeOptions.url === sendAgentMessage.path && statusCode === 200;
    log[isRoutine || statusCode === 429 ? "debug" : "info"](
      {
        requestID: request.id,
        method: request.method,
        // The route's pattern, not the URL: a query string can contain the token of a magic link.
        route: request.routeOptions.url ?? "console",
        status: statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.actorID && { actorID: request.actorID }),
      },
      "request",
    );
  });
}
