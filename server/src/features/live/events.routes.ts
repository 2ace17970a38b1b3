/** GET /v1/events: streams the changes of an organization to its consoles. */
import type { ServerResponse } from "node:http";
import * as contract from "@lightkeeper/contract";
import type { Change } from "@lightkeeper/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { COMMANDS_NOUN } from "../../nouns/host-commands/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { findPerson } from "../../nouns/auth/identity/find-actor.ts";
import type { Call } from "../../infrastructure/http/call.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { createEventStreamQuota, type EventStreamQuota } from "./event-stream-quota.ts";
import { throttleChanges } from "../../infrastructure/changes/change-throttle.ts";
import { withAffectedNouns } from "./affected-nouns.ts";

const HEARTBEAT_MS = 15_000;
/** A console that does not read is disconnected to limit memory; it reconnects and refetches. */
const UNREAD_BYTES_MAX = 256 * 1024;

/** Not sent to consoles. */
const INTERNAL_NOUNS = new Set(["sessions", COMMANDS_NOUN]);

export interface EventOptions {
  /** Maximum streams of an organization in this process. */
  streamsMax?: number | undefined;
}

interface StreamServices {
  ctx: Context;
  quota: EventStreamQuota;
  shutdown: AbortSignal;
}

export function serveEvents(
  routes: Routes,
  ctx: Context,
  { shutdown, streamsMax }: EventOptions & { shutdown: AbortSignal },
): void {
  const services = { ctx, quota: createEventStreamQuota(streamsMax), shutdown };
  routes.stream(contract.streamEvents, async (call, request, reply) =>
    streamChanges(services, call, request, reply),
  );
}

function sendHead(reply: FastifyReply): ServerResponse {
  const { raw } = reply.hijack();
  return raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
}

function streamChanges(
  { ctx, quota, shutdown }: StreamServices,
  { person, presented, now }: Call<typeof contract.streamEvents>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const owner = { sessionID: person.session.id, organizationID: person.organization.id };
  quota.require(owner);
  const response = sendHead(reply);
  const write = (text: string) => {
    response.write(text);
    if (response.writableLength > UNREAD_BYTES_MAX) end();
  };
  const throttle = throttleChanges<Change>((change) =>
    write(`event: change\ndata: ${JSON.stringify(change)}\n\n`),
  );
  const unsubscribe = ctx.changes.subscribe(
    (change) => {
      if (change.organizationID !== person.organization.id) return;
      if (change.noun === "sessions" && change.id === person.session.id) return end();
      if (!INTERNAL_NOUNS.has(change.noun)) withAffectedNouns(change).forEach(throttle.add);
      // If the organization was deleted, so was the session.
      if (change.noun === "organizations") void checkSession();
    },
    // Changes may have been missed: the console reconnects and refetches.
    () => end(),
  );
  const checkSession = async () => {
    const current = presented && (await findPerson(ctx.reader, presented, ctx.clock()).catch(() => person));
    if (current?.authentication) write(":\n\n");
    else end();
  };
  const heartbeat = setInterval(() => void checkSession(), HEARTBEAT_MS);
  const expiresInMs = (person.authentication?.expiresAt.getTime() ?? now.getTime()) - now.getTime();
  const expiry = setTimeout(() => end(), expiresInMs);
  const release = quota.add(owner, () => end());
  function end(): void {
    release();
    clearInterval(heartbeat);
    clearTimeout(expiry);
    unsubscribe();
    throttle.stop();
    shutdown.removeEventListener("abort", end);
    response.end();
  }
  shutdown.addEventListener("abort", end);
  request.raw.on("close", end);
  write(":\n\n");
}
