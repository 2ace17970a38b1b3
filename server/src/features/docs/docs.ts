/** Serves the built documentation at /docs/. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Asset, loadAssets, sendAsset } from "../../infrastructure/http/assets.ts";
import { sendApiError } from "../../infrastructure/http/error-responses.ts";

export function serveDocs(http: FastifyInstance, directory: string | undefined): void {
  const assets = loadAssets(directory);
  const notFoundPage = assets.get("/not-found.html");
  const send = (request: FastifyRequest, reply: FastifyReply, asset: Asset | undefined) => {
    if (asset) return sendAsset(request, reply, asset);
    if (notFoundPage) return sendAsset(request, reply.status(404), notFoundPage);
    return sendApiError(reply, new ApiError("ERR_NOT_FOUND"));
  };
  http.get("/docs", (request, reply) => send(request, reply, assets.get("/index.html")));
  http.get<{ Params: { "*": string } }>("/docs/*", (request, reply) => {
    const name = request.params["*"];
    return send(request, reply, assets.get(`/${name}.html`) ?? assets.get(`/${name}`));
  });
}
