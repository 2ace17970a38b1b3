import { openApiDocument } from "@lightkeeper/contract/openapi";
import type { FastifyInstance } from "fastify";
import { PAGE_CSS } from "../html/html.ts";
import { renderReference } from "./api-reference-page.ts";

function renderDocuments() {
  const document = openApiDocument();
  return { json: JSON.stringify(document), page: renderReference(document) };
}

let rendered: ReturnType<typeof renderDocuments> | undefined;

/** Renders the documents for their first reader: they take longer than the rest of the startup. */
const readDocuments = () => (rendered ??= renderDocuments());

/** Serves the OpenAPI document at /openapi.json and the reference page at /docs/api. */
export function serveReference(app: FastifyInstance): void {
  app.get("/openapi.json", (_request, reply) =>
    reply
      .header("cache-control", "no-cache")
      .type("application/json; charset=utf-8")
      .send(readDocuments().json),
  );
  app.get("/docs/api", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("text/html; charset=utf-8").send(readDocuments().page),
  );
  app.get("/docs/page.css", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("text/css; charset=utf-8").send(PAGE_CSS),
  );
}
