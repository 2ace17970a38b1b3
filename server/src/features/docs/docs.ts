/** The documentation at /docs/, as it was built. */
import type { FastifyInstance } from "fastify";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { loadAssets, sendAsset } from "../../infrastructure/http/assets.ts";
import { sendApiError } from "../../infrastructure/http/failures.ts";

export function serveDocs(http: FastifyInstance, directory: string | undefined): void {
  const assets = loadAssets(directory);
  const start = assets.get("/index.html");
  const lost = assets.get("/not-found.html");
  http.get("/docs", (request, reply) =>
    // Where nothing has been built there is still the reference.
    start ? sendAsset(request, reply, start) : reply.redirect("/docs/api"),
  );
  http.get<{ Params: { name: string } }>("/docs/:name", (request, reply) => {
    const { name } = request.params;
    const asset = assets.get(`/${name}.html`) ?? assets.get(`/${name}`);
    if (asset) return sendAsset(request, reply, asset);
    if (lost) return sendAsset(request, reply.status(404), lost);
    return sendApiError(reply, new ApiError("ERR_NOT_FOUND"));
  });
}
