/** Serves the built console: hashed assets are cached forever, the page never. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context/context.ts";
import { HTML_TYPE, loadAssets, sendAsset } from "./assets.ts";
import { escapeHtml } from "../html/html.ts";

/** Adds the settings of the console to the page, as data rather than script, and a notice above everything else. */
function fillPage(page: string, { config, version }: Context, notice: string | undefined): string {
  const settings = JSON.stringify({
    environment: config.appEnv,
    apiURL: config.apiURL,
    supportEmail: config.supportEmail,
    marketingURL: config.marketingURL,
    docsURL: config.docsURL,
    sentryDSN: config.webSentryDSN,
    hasPlans: config.stripe !== undefined,
    version,
  });
  const bar = notice && `<aside class="notice-bar" aria-label="Notice">${escapeHtml(notice)}</aside>`;
  return page
    .replace(
      /<meta name="lightkeeper-config" content=""\s*\/?>/,
      () => `<meta name="lightkeeper-config" content="${escapeHtml(settings)}">`,
    )
    .replace(/(?=<div id="root">)/, () => bar ?? "");
}

/** Sends an asset, or the console's page for a path that the console routes. */
export type ServeConsole = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

export interface ConsoleOptions {
  /** The build output. */
  directory: string | undefined;
  /** Shown above every page. */
  notice?: string | undefined;
}

export function createConsole(ctx: Context, { directory, notice }: ConsoleOptions): ServeConsole {
  const assets = loadAssets(directory);
  const page = assets.get("/index.html");
  const filled = page && Buffer.from(fillPage(page.plain.toString(), ctx, notice));
  return (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const path = request.url.split("?", 1)[0] ?? "/";
    const asset = path === "/index.html" ? undefined : assets.get(path);
    if (asset) return sendAsset(request, reply, asset);
    if (path.startsWith("/assets/") || !filled) return undefined;
    return reply.headers({ "content-type": HTML_TYPE, "cache-control": "no-store" }).send(filled);
  };
}

export function serveVersion(app: FastifyInstance, version: string): void {
  app.get("/v", (_request, reply) =>
    reply.header("cache-control", "no-store").type("text/plain; charset=utf-8").send(version),
  );
}
