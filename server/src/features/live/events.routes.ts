/** GET /v1/events: tells a signed-in console what changed in its organization, from every process. */
import * as contract from "@lightkeeper/contract";
import type { Change } from "@lightkeeper/contract";
import { COMMANDS_NOUN } from "../agents/host-commands.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { findPerson } from "../../infrastructure/http/find-actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { createEventStreamQuota } from "./event-stream-quota.ts";
import { throttleChanges } from "../../infrastructure/changes/change-throttle.ts";
import { withAffectedNouns } from "./affected-nouns.ts";

const COMMENT_MS = 15_000;
/** A console that does not read is cut off before it costs memory; it reconnects and refetches. */
const UNREAD_BYTES_MAX = 256 * 1024;

/** Told to processes, and no console's business. */
const INTERNAL = new Set(["sessions", COMMANDS_NOUN]);

export interface EventOptions {
  /** How many streams an organization may have here. */
  streamsMax?: number | undefined;
}

export function serveEvents(
  routes: Routes,
  ctx: Context,
  { shutdown, streamsMax }: EventOptions & { shutdown: AbortSignal },
): void {
  const quota = createEventStreamQuota(streamsMax);
  routes.stream(contract.streamEvents, async ({ person, presented, now }, request, reply) => {
    const owner = { sessionID: person.session.id, organizationID: person.organization.id };
    quota.require(owner);
    const { raw } = reply.hijack();
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    const write = (text: string) => {
      raw.write(text);
      if (raw.writableLength > UNREAD_BYTES_MAX) end();
    };
    const gathered = throttleChanges<Change>((change) =>
      write(`event: change\ndata: ${JSON.stringify(change)}\n\n`),
    );
    const unsubscribe = ctx.changes.subscribe(
      (change) => {
        if (change.organizationID !== person.organization.id) return;
        if (change.noun === "sessions" && change.id === person.session.id) return end();
        if (!INTERNAL.has(change.noun)) withAffectedNouns(change).forEach(gathered.add);
        // It may have been deleted, and the session with it.
        if (change.noun === "organizations") void stillValid();
      },
      // Something may have been missed: the console reconnects and refetches.
      () => end(),
    );
    const stillValid = async () => {
      const current = presented && (await findPerson(ctx.reader, presented, ctx.clock()).catch(() => person));
      if (current?.authentication) write(":\n\n");
      else end();
    };
    const comment = setInterval(() => void stillValid(), COMMENT_MS);
    const expiresInMs = (person.authentication?.expiresAt.getTime() ?? now.getTime()) - now.getTime();
    const expiry = setTimeout(() => end(), expiresInMs);
    const onShutdown = () => end();
    const release = quota.add(owner, () => end());
    function end(): void {
      release();
      clearInterval(comment);
      clearTimeout(expiry);
      unsubscribe();
      gathered.stop();
      shutdown.removeEventListener("abort", onShutdown);
      raw.end();
    }
    shutdown.addEventListener("abort", onShutdown);
    request.raw.on("close", end);
    write(":\n\n");
  });
}
