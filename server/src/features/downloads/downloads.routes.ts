import * as contract from "@lightkeeper/contract";
import type { FastifyInstance } from "fastify";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { describeDownloads, FILES_PATH } from "./describe-downloads.ts";
import { createDownloadFiles, type DownloadFiles } from "./download-files.ts";

export function serveDownloads(
  routes: Routes,
  http: FastifyInstance,
  { config }: Context,
  directory: string | undefined,
): void {
  const files = createDownloadFiles(directory);
  routes.read(contract.getDownloads, () => describeDownloads(files, config.appURL));
  serveFiles(http, files);
}

const DIGEST_SUFFIX = ".sha256";

/** Serves the files and their digests. A name includes the version, so responses are immutable. */
function serveFiles(http: FastifyInstance, files: DownloadFiles): void {
  http.route<{ Params: { name: string } }>({
    // Fastify's own HEAD handling would read the whole file.
    method: ["GET", "HEAD"],
    url: `${FILES_PATH}/:name`,
    // Agents download their updates here.
    config: { allowance: "agents" },
    handler: async ({ method, headers, params: { name } }, reply) => {
      const isDigest = name.endsWith(DIGEST_SUFFIX);
      const file = await files.find(isDigest ? name.slice(0, -DIGEST_SUFFIX.length) : name);
      if (!file) throw new ApiError("ERR_NOT_FOUND");
      const digest = await files.digest(file);
      const etag = `"${digest}"`;
      void reply.headers({ etag, "cache-control": "public, max-age=31536000, immutable" });
      if (headers["if-none-match"] === etag) return reply.status(304).send();
      if (isDigest) return reply.type("text/plain; charset=utf-8").send(digest);
      void reply.headers({ "content-type": "application/octet-stream", "content-length": file.size });
      return method === "HEAD" ? reply.send() : reply.send(files.read(file));
    },
  });
}
