/** Serves the built console from memory: precompressed, hashed assets for ever, the page never cached. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { escapeHtml } from "./html.ts";

const contentTypes: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

interface Asset {
  contentType: string;
  etag: string;
  immutable: boolean;
  plain: Buffer;
  br: Buffer | undefined;
  gzip: Buffer | undefined;
}

const readIfThere = (file: string) => (existsSync(file) ? readFileSync(file) : undefined);

function loadAssets(directory: string): Map<string, Asset> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name));
  const assets = new Map<string, Asset>();
  for (const path of paths) {
    const contentType = contentTypes[extname(path)];
    if (!contentType) continue;
    const url = `/${relative(directory, path).split(sep).join("/")}`;
    const plain = readFileSync(path);
    assets.set(url, {
      contentType,
      etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
      immutable: url.startsWith("/assets/"),
      plain,
      br: readIfThere(`${path}.br`),
      gzip: readIfThere(`${path}.gz`),
    });
  }
  return assets;
}

const REFUSED = /;\s*q=0(\.0*)?$/i;
const acceptedEncodings = (header: string): string[] =>
  header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => !REFUSED.test(part))
    .map((part) => part.split(";", 1)[0] ?? "");

function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  void reply.headers({
    "content-type": asset.contentType,
    etag: asset.etag,
    vary: "accept-encoding",
    "cache-control": asset.immutable ? "public, max-age=31536000, immutable" : "no-cache",
  });
  if (request.headers["if-none-match"] === asset.etag) return reply.status(304).send();
  const accepted = acceptedEncodings(request.headers["accept-encoding"]?.toString() ?? "");
  if (asset.br && accepted.includes("br")) return reply.header("content-encoding", "br").send(asset.br);
  if (asset.gzip && accepted.includes("gzip"))
    return reply.header("content-encoding", "gzip").send(asset.gzip);
  return reply.send(asset.plain);
}

/** The page with the settings the console needs, as data: nothing in it is executed. */
function fillPage(page: string, { config, version }: Context): string {
  const settings = JSON.stringify({
    environment: config.appEnv,
    apiURL: config.apiURL,
    supportEmail: config.supportEmail,
    marketingURL: config.marketingURL,
    docsURL: config.docsURL,
    sentryDSN: config.webSentryDSN,
    version,
  });
  return page.replace(
    /<meta name="lightkeeper-config" content=""\s*\/?>/,
    () => `<meta name="lightkeeper-config" content="${escapeHtml(settings)}">`,
  );
}

/** Sends an asset, or the console's page for any path that is the console's to explain. */
export type ServeConsole = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | undefined;

export function createConsole(ctx: Context, directory: string | undefined): ServeConsole {
  const assets = directory && existsSync(directory) ? loadAssets(directory) : new Map<string, Asset>();
  const page = assets.get("/index.html");
  const filled = page && Buffer.from(fillPage(page.plain.toString(), ctx));
  return (request, reply) => {
    if (request.method !== "GET" && request.method !== "HEAD") return undefined;
    const path = request.url.split("?", 1)[0] ?? "/";
    const asset = path === "/index.html" ? undefined : assets.get(path);
    if (asset) return sendAsset(request, reply, asset);
    if (path.startsWith("/assets/") || !filled) return undefined;
    return reply.headers({ "content-type": contentTypes[".html"], "cache-control": "no-store" }).send(filled);
  };
}

export function serveVersion(app: FastifyInstance, version: string): void {
  app.get("/v", (_request, reply) =>
    reply.header("cache-control", "no-store").type("text/plain; charset=utf-8").send(version),
  );
}
