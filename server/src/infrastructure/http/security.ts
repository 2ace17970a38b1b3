/** Headers of every response, and the console's content security policy. */
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/config.ts";

export function contentSecurityPolicy({ appURL, apiURL, webSentryDSN }: Config): string {
  const connect = ["'self'"];
  if (apiURL !== appURL) connect.push(apiURL);
  if (webSentryDSN && URL.canParse(webSentryDSN)) connect.push(new URL(webSentryDSN).origin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connect.join(" ")}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** Also sent with responses that no route produced. */
export function commonHeaders(config: Config, requestID: string): Record<string, string> {
  return {
    "x-request-id": requestID,
    // Public routes override this: other responses may contain private data.
    "cache-control": "no-store",
    "content-security-policy": contentSecurityPolicy(config),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": config.apiURL === config.appURL ? "same-origin" : "same-site",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ...(config.appEnv !== "local" && { "strict-transport-security": "max-age=31536000; includeSubDomains" }),
  };
}

export function serveSecurityHeaders(app: FastifyInstance, config: Config): void {
  const constant = commonHeaders(config, "");
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers({ ...constant, "x-request-id": request.id });
  });
  if (config.apiURL !== config.appURL) serveCors(app, config.appURL);
}

/** Agents whose clocks are wrong learn the time from this header: it is the time that their messages are checked by. */
export function serveDate(app: FastifyInstance, clock: () => Date): void {
  app.addHook("onSend", async (_request, reply) => {
    void reply.header("date", clock().toUTCString());
  });
}

/** Allows the console's origin, and no other, to call the API on another origin. */
function serveCors(app: FastifyInstance, appURL: string): void {
  app.addHook("onRequest", async (request, reply) => {
    if (request.headers.origin !== appURL) return;
    void reply.headers({
      "access-control-allow-origin": appURL,
      "access-control-expose-headers": "x-request-id, retry-after, x-total-count",
      vary: "origin",
    });
    if (request.method !== "OPTIONS" || !request.headers["access-control-request-method"]) return;
    return reply
      .headers({
        "access-control-allow-methods": "GET, POST, PUT, DELETE",
        "access-control-allow-headers": "authorization, content-type, x-request-id",
        "access-control-max-age": "7200",
      })
      .status(204)
      .send();
  });
}
