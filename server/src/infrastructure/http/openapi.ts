import { openApiDocument } from "@lightkeeper/contract/openapi";
import type { FastifyInstance } from "fastify";

let json: string | undefined;

/** Creates the document for its first reader: that takes longer than the rest of the startup. */
const readDocument = () => (json ??= JSON.stringify(openApiDocument()));

/** Serves the OpenAPI document, from which the API reference of the documentation is built. */
export function serveOpenApi(app: FastifyInstance): void {
  app.get("/openapi.json", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("application/json; charset=utf-8").send(readDocument()),
  );
}
