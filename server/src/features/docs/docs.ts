/** Serves the built documentation at /docs/. */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { loadAssets, sendAsset } from "../../infrastructure/http/assets.ts";
import { sendApiError } from "../../infrastructure/http/error-responses.ts";

export function serveDocs(http: FastifyInstance, directory: string | undefined): void {
  const assets = loadAssets(directory);
  const startPage = assets.get("/index.html");
  const notFoundPage = assets.get("/not-found.html");
  http.get("/docs", (request, reply) =>
    // Without a build there is still the API reference.
    startPage ? sendAsset(request, reply, startPage) : reply.redirect("/docs/api"),
  );
  http.get<{ Params: { name: string } }>("/docs/:name", (request, reply) => {
    const { name } = request.params;
    const asset = assets.get(`/${name}.html`) ?? assets.get(`/${name}`);
    if (asset) return sendAsset(request, reply, asset);
    if (notFoundPage) return sendAsset(request, reply.status(404), notFoundPage);
    return sendApiError(reply, new ApiError("ERR_NOT_FOUND"));
  });
}
