import { openApiDocument } from "@lightkeeper/contract/openapi";
import type { FastifyInstance } from "fastify";
import { PAGE_CSS } from "../html/html.ts";
import { renderReference } from "./api-reference-page.ts";

/** Serves the OpenAPI document at /openapi.json and the reference page at /docs/api. */
export function serveReference(app: FastifyInstance): void {
  const document = openApiDocument();
  const json = JSON.stringify(document);
  const page = renderReference(document);
  app.get("/openapi.json", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("application/json; charset=utf-8").send(json),
  );
  app.get("/docs/api", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("text/html; charset=utf-8").send(page),
  );
  app.get("/docs/page.css", (_request, reply) =>
    reply.header("cache-control", "no-cache").type("text/css; charset=utf-8").send(PAGE_CSS),
  );
}
