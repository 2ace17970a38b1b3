import type { Writable } from "node:stream";
import * as contract from "@lightkeeper/contract";
import type { BodyOf, HostFilter, QueryOf } from "@lightkeeper/contract";
import type { FastifyReply } from "fastify";
import {
  createHostCommandClient,
  type HostCommandClientOptions,
} from "../../features/agents/host-command-client.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { done, type Outcome, presenting } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { releaseOf } from "../../infrastructure/config/version.ts";
import { type Actor, authorOf } from "../../infrastructure/http/credentials.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { CODE_LIFETIME_SECONDS, createEnrollmentCode } from "./enrollment-codes.service.ts";
import {
  changeHost,
  type HostChange,
  lockHostForChange,
  lockHostAlone,
  removeHosts,
  setBlocked,
} from "./host-changes.service.ts";
import { listHosts } from "./host-list.queries.ts";
import { createPresentation } from "./host-presentation.ts";
import { findHost, type SeenHostRow } from "./hosts.queries.ts";
import { createHost, type HostInput } from "./hosts.service.ts";
import { wrapLogLines } from "./log-lines.ts";

type Query = QueryOf<typeof contract.listHostsV2>;
type V1Body = BodyOf<typeof contract.createHost>;
type V2Body = BodyOf<typeof contract.createHostV2>;

const PREFIX = "filter.";

/** The query's filters by the names they have in a body. */
function filterOf(query: Query): HostFilter {
  const filters = Object.entries(query).filter(([key]) => key.startsWith(PREFIX));
  return Object.fromEntries(filters.map(([key, value]) => [key.slice(PREFIX.length), value]));
}

const ofV1 = ({ ipAddress, ...body }: V1Body): HostInput => ({ ...body, address: ipAddress });

function ofV2({ ipAddresses = [], ...body }: V2Body): HostInput {
  const [address, second] = ipAddresses;
  if (second !== undefined)
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "ipAddresses[1]",
      message: "a host of this network has one IPv4 address",
    });
  return { ...body, address };
}

interface Call {
  actor: Actor;
  now: Date;
}

async function getHost(db: Reader, { actor, now }: Call, id: string): Promise<SeenHostRow> {
  const row = await findHost(db, actor.organization.id, { id, now });
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export function serveHosts(
  routes: Routes,
  ctx: Context,
  shutdown: AbortSignal,
  commands?: HostCommandClientOptions,
): void {
  const present = createPresentation(releaseOf(ctx.version));
  serveReading(routes, ctx, present);
  serveCreating(routes, ctx, present);
  serveChanging(routes, present);
  serveCommands(routes, ctx, shutdown, commands);
}

type Presentation = ReturnType<typeof createPresentation>;

function serveReading(routes: Routes, ctx: Context, { toHost, toHostV2 }: Presentation): void {
  const listed = async <T>(
    { actor, query, now }: Call & { query: Query },
    present: (row: SeenHostRow) => T,
  ) => {
    const listing = {
      organizationID: actor.organization.id,
      filter: filterOf(query),
      sort: query.sort,
      agentVersion: releaseOf(ctx.version),
      now,
    };
    const { rows, metadata } = await listHosts(ctx.reader, listing, query);
    return { data: rows.map(present), metadata };
  };
  routes.read(contract.listHosts, (call) => listed(call, toHost));
  routes.read(contract.listHostsV2, (call) => listed(call, toHostV2));
  routes.read(contract.getHost, async (call) => toHost(await getHost(ctx.reader, call, call.params.hostID)));
  routes.read(contract.getHostV2, async (call) =>
    toHostV2(await getHost(ctx.reader, call, call.params.hostID)),
  );
}

function serveCreating(routes: Routes, ctx: Context, { toHost, toHostV2 }: Presentation): void {
  const created = (tx: Writer, { actor, now }: Call, host: HostInput, path: "v1" | "v2") =>
    createHost(ctx, tx, { author: authorOf(actor), now, host, calledThrough: path });
  const withCode = async (
    tx: Writer,
    call: Call,
    host: HostInput,
    { path, lifetimeSeconds }: { path: "v1" | "v2"; lifetimeSeconds: number },
  ) => {
    const { row, entries } = await created(tx, call, host, path);
    const author = authorOf(call.actor);
    const { enrollmentCode, entry } = await createEnrollmentCode(tx, {
      author,
      now: call.now,
      host: row,
      lifetimeSeconds,
    });
    return done({ row, enrollmentCode }, entry, ...entries);
  };

  routes.write(contract.createHost, async (call, tx) => {
    const { row, entries } = await created(tx, call, ofV1(call.body), "v1");
    return done(toHost(row), ...entries);
  });
  routes.write(contract.createHostV2, async (call, tx) => {
    const { row, entries } = await created(tx, call, ofV2(call.body), "v2");
    return done(toHostV2(row), ...entries);
  });
  routes.write(contract.createHostAndEnrollmentCode, async (call, tx) => {
    const options = { path: "v1", lifetimeSeconds: CODE_LIFETIME_SECONDS } as const;
    return presenting(await withCode(tx, call, ofV1(call.body), options), ({ row, enrollmentCode }) => ({
      host: toHost(row),
      enrollmentCode,
    }));
  });
  routes.write(contract.createHostAndEnrollmentCodeV2, async (call, tx) => {
    const { codeLifetimeSeconds: lifetimeSeconds, ...body } = call.body;
    const options = { path: "v2", lifetimeSeconds } as const;
    return presenting(await withCode(tx, call, ofV2(body), options), ({ row, enrollmentCode }) => ({
      host: toHostV2(row),
      enrollmentCode,
    }));
  });
  routes.write(contract.createEnrollmentCode, async ({ actor, now, params }, tx) => {
    const author = authorOf(actor);
    const host = await lockHostAlone(tx, author.organizationID, params.hostID);
    const options = { author, now, host, lifetimeSeconds: CODE_LIFETIME_SECONDS };
    const { enrollmentCode, entry } = await createEnrollmentCode(tx, options);
    return done(enrollmentCode, entry);
  });
}

function serveChanging(routes: Routes, { toHost, toHostV2 }: Presentation): void {
  const changed = async (
    { actor, now, params, body }: Call & { params: { hostID: string }; body: HostChange },
    tx: Writer,
  ): Promise<Outcome<SeenHostRow>> => {
    const author = authorOf(actor);
    const entries = await changeHost(tx, { author, now, id: params.hostID, change: body });
    return done(await getHost(tx, { actor, now }, params.hostID), ...entries);
  };
  const blocked =
    (isBlocked: boolean) =>
    async ({ actor, now, params }: Call & { params: { hostID: string } }, tx: Writer) => {
      const author = authorOf(actor);
      const rows = [await lockHostForChange(tx, author.organizationID, params.hostID)] as const;
      const entries = await setBlocked(tx, { author, now, rows, isBlocked });
      return done(await getHost(tx, { actor, now }, params.hostID), ...entries);
    };

  routes.write(contract.updateHostV2, async (call, tx) => presenting(await changed(call, tx), toHost));
  routes.write(contract.updateHostV3, async (call, tx) => presenting(await changed(call, tx), toHostV2));
  routes.write(contract.blockHost, async (call, tx) =>
    presenting(await blocked(true)(call, tx), (row) => ({ host: toHost(row) })),
  );
  routes.write(contract.blockHostV2, async (call, tx) => presenting(await blocked(true)(call, tx), toHostV2));
  routes.write(contract.unblockHost, async (call, tx) =>
    presenting(await blocked(false)(call, tx), (row) => ({ host: toHost(row) })),
  );
  routes.write(contract.unblockHostV2, async (call, tx) =>
    presenting(await blocked(false)(call, tx), toHostV2),
  );
  routes.write(contract.deleteHost, async ({ actor, params, now }, tx) => {
    const author = authorOf(actor);
    const row = await lockHostForChange(tx, author.organizationID, params.hostID);
    return done({}, ...(await removeHosts(tx, { author, now, rows: [row] })));
  });
}

function serveCommands(
  routes: Routes,
  ctx: Context,
  shutdown: AbortSignal,
  options?: HostCommandClientOptions,
): void {
  const client = createHostCommandClient(ctx, options);
  routes.stream(contract.runHostCommand, async ({ actor, now, params, body }, _request, reply) => {
    const host = await getHost(ctx.reader, { actor, now }, params.hostID);
    if (host.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
    if (host.enrolled_at === null) throw new ApiError("ERR_HOST_NOT_ENROLLED");
    const addressee = { hostID: host.id, organizationID: actor.organization.id };
    if (body.command !== "StreamLogs") return client.run(addressee, body);
    const { durationSeconds } = body.args;
    const begin = () => beginStream(reply, shutdown);
    await client.streamLogs(addressee, body, { durationSeconds, begin });
  });
}

/** Ends when the server shuts down or the client has gone. */
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
