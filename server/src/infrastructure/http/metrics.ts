import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Context } from "../context/context.ts";
import { hashToken } from "../crypto/tokens.ts";
import { isLoopback } from "../config/loopback.ts";

function collectDatabaseMetrics(registry: Registry, ctx: Context): void {
  new Gauge({
    name: "lightkeeper_database_connections",
    help: "Connections in the pool by state",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.set({ state: "open" }, ctx.pool.totalCount);
      this.set({ state: "idle" }, ctx.pool.idleCount);
      this.set({ state: "waiting" }, ctx.pool.waitingCount);
    },
  });
  new Gauge({
    name: "lightkeeper_database_connections_abandoned",
    help: "Connections abandoned since startup because the database stopped responding",
    registers: [registry],
    collect() {
      this.set(ctx.pool.abandonedCount);
    },
  });
  new Gauge({
    name: "lightkeeper_database_listeners",
    help: "Connections that listen for changes: receiving, or with a late heartbeat",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      const { connectionCount, receivingCount } = ctx.changes.health;
      this.set({ state: "receiving" }, receivingCount);
      this.set({ state: "late" }, connectionCount - receivingCount);
    },
  });
  new Gauge({
    name: "lightkeeper_event_streams",
    help: "Subscribers to changes in this process: consoles and the control plane",
    registers: [registry],
    collect() {
      this.set(ctx.changes.subscriberCount);
    },
  });
}

export interface MetricSources {
  /** The hosts whose polls wait on this process. */
  countWaitingHosts: () => number;
}

export function serveMetrics(app: FastifyInstance, ctx: Context, { countWaitingHosts }: MetricSources): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  collectDatabaseMetrics(registry, ctx);
  new Gauge({
    name: "lightkeeper_waiting_hosts",
    help: "Hosts whose polls wait on this process",
    registers: [registry],
    collect() {
      this.set(countWaitingHosts());
    },
  });
  const durations = new Histogram({
    name: "lightkeeper_request_duration_seconds",
    help: "Time from the first byte of a request to the end of its response",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });

  const isAllowed = (request: FastifyRequest) => {
    const { metricsToken } = ctx.config;
    if (!metricsToken) return isLoopback(request.ip) && isLoopback(request.hostname);
    const presented = hashToken(request.headers.authorization ?? "");
    return timingSafeEqual(presented, hashToken(`Bearer ${metricsToken}`));
  };
  app.get("/metrics", async (request, reply) => {
    if (!isAllowed(request)) return reply.callNotFound();
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
