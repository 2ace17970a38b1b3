import type { Writable } from "node:stream";
import * as contract from "@lightkeeper/contract";
import { parseIp } from "@lightkeeper/nebula";
import type { FastifyReply } from "fastify";
import type { Context } from "../../infrastructure/context/context.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { getHost } from "../../nouns/hosts/hosts.service.ts";
import { createHostCommandClient, type HostCommandClientOptions } from "./host-command-client.ts";
import { wrapLogLines } from "./log-lines.ts";

export function serveHostCommands(
  routes: Routes,
  ctx: Context,
  { shutdown, ...options }: HostCommandClientOptions & { shutdown: AbortSignal },
): void {
  const client = createHostCommandClient(ctx, options);
  routes.stream(contract.runHostCommand, async ({ actor, now, params, body }, _request, reply) => {
    requireValidTarget(body);
    const organizationID = actor.organization.id;
    const host = await getHost(ctx.reader, organizationID, { id: params.hostID, now });
    if (host.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
    if (host.enrolled_at === null) throw new ApiError("ERR_HOST_NOT_ENROLLED");
    const addressee = { hostID: host.id, organizationID };
    if (body.command !== "StreamLogs") return client.run(addressee, body);
    const { durationSeconds } = body.args;
    const begin = () => beginStream(reply, shutdown);
    await client.streamLogs(addressee, body, { durationSeconds, begin });
  });
}

function requireValidTarget({ args }: contract.HostCommand): void {
  if (args && "target" in args && !parseIp(args.target))
    throw new ApiError("ERR_INVALID_VALUE", { path: "args.target", message: contract.TARGET_MESSAGE });
}

/** Ends when the server shuts down or the client disconnects. */
function beginStream(reply: FastifyReply, shutdown: AbortSignal): Writable {
  const { raw } = reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": "application/x-ndjson",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  const stream = wrapLogLines();
  stream.pipe(raw);
  const stop = () => {
    stream.destroy();
    raw.end();
  };
  shutdown.addEventListener("abort", stop);
  raw.once("close", () => {
    shutdown.removeEventListener("abort", stop);
    stream.destroy();
  });
  return stream;
}
