import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { ApiError } from "./api-error.ts";

export function serveHealth(app: FastifyInstance, ctx: Context): void {
  app.get("/healthz", async () => ({ data: { status: "ok", version: ctx.version }, metadata: {} }));

  app.get("/readyz", async () => {
    await sql`select 1`.execute(ctx.bookkeeper).catch(() => {
      throw new ApiError("ERR_UNAVAILABLE", { message: "the database does not answer" });
    });
    return { data: { status: "ok" }, metadata: {} };
  });
}
