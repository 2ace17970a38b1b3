import type { FastifyInstance } from "fastify";
import { sql } from "kysely";
import type { Context } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Shutdown } from "./shutdown.ts";

export function serveHealth(app: FastifyInstance, ctx: Context, shutdown: Pick<Shutdown, "hasBegun">): void {
  app.get("/healthz", async () => ({ data: { status: "ok", version: ctx.version }, metadata: {} }));

  app.get("/readyz", async () => {
    if (shutdown.hasBegun) throw new ApiError("ERR_UNAVAILABLE", { message: "the server is shutting down" });
    const isDatabaseReady = sql`select 1`.execute(ctx.unaudited).then(
      () => true,
      () => false,
    );
    const checks = await Promise.all([isDatabaseReady, ctx.changes.health.isReceiving()]);
    if (checks.includes(false))
      throw new ApiError("ERR_UNAVAILABLE", { message: "the database is not responding" });
    return { data: { status: "ok" }, metadata: {} };
  });
}
