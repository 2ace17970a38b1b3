import * as contract from "@lightkeeper/contract";
import type { HostFilter, QueryOf } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { done, type Outcome, mapOutcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { releaseOf } from "../../infrastructure/config/version.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import type { Calls } from "../../infrastructure/http/shared-writes.ts";
import {
  changeHost,
  type HostChange,
  lockHostForChange,
  removeHosts,
  setBlocked,
} from "./host-changes.service.ts";
import { listHosts } from "./host-list.queries.ts";
import { createPresentation } from "./host-presentation.ts";
import type { SeenHostRow } from "./hosts.queries.ts";
import { fromV1, fromV2 } from "./host-input.ts";
import { createHost, createHostsOfRequests, getHost, requireVersion1Host } from "./hosts.service.ts";

type Query = QueryOf<typeof contract.listHostsV2>;

const PREFIX = "filter.";

/** The filters of the query, named as in a body. */
function filterOf(query: Query): HostFilter {
  const filters = Object.entries(query).filter(([key]) => key.startsWith(PREFIX));
  return Object.fromEntries(filters.map(([key, value]) => [key.slice(PREFIX.length), value]));
}

interface Call {
  actor: Actor;
  now: Date;
}

export function serveHosts(routes: Routes, ctx: Context): void {
  const present = createPresentation(releaseOf(ctx.version));
  serveReads(routes, ctx, present);
  serveCreation(routes, ctx, present);
  serveChanges(routes, present);
}

type Presentation = ReturnType<typeof createPresentation>;

function serveReads(routes: Routes, ctx: Context, { toHost, toHostV2 }: Presentation): void {
  const list = async <T>(
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
  routes.read(contract.listHosts, (call) => list(call, toHost));
  routes.read(contract.listHostsV2, (call) => list(call, toHostV2));
  routes.read(contract.getHost, async ({ actor, params: { hostID }, now }) => {
    await requireVersion1Host(ctx.reader, actor.organization.id, hostID);
    return toHost(await getHost(ctx.reader, actor.organization.id, { id: hostID, now }));
  });
  routes.read(contract.getHostV2, async (call) =>
    toHostV2(
      await getHost(ctx.reader, call.actor.organization.id, { id: call.params.hostID, now: call.now }),
    ),
  );
}

const authorAndPlan = (actor: Actor) => ({ author: authorOf(actor), plan: actor.organization.plan });

function serveCreation(routes: Routes, ctx: Context, { toHost, toHostV2 }: Presentation): void {
  routes.write(contract.createHost, async ({ actor, now, body }, tx) => {
    const request = { ...authorAndPlan(actor), now, host: fromV1(body), apiVersion: "v1" } as const;
    const { row, entries } = await createHost(ctx, tx, request);
    return done(toHost(row), ...entries);
  });

  const create = async (calls: Calls<typeof contract.createHostV2>, tx: Writer) => {
    const [{ actor, now }] = calls;
    const hosts = calls.map(({ body }) => fromV2(body));
    const request = { ...authorAndPlan(actor), now, hosts, apiVersion: "v2" } as const;
    const { rows, entries } = await createHostsOfRequests(ctx, tx, request);
    return done(rows.map(toHostV2), ...entries);
  };
  routes.write(
    contract.createHostV2,
    async (call, tx) => mapOutcome(await create([call], tx), ([host]) => host!),
    { sharing: { keyOf: ({ body }) => body.networkID, handler: create } },
  );
}

function serveChanges(routes: Routes, { toHost, toHostV2 }: Presentation): void {
  const change = async (
    { actor, now, params, body }: Call & { params: { hostID: string }; body: HostChange },
    tx: Writer,
  ): Promise<Outcome<SeenHostRow>> => {
    const author = authorOf(actor);
    const entries = await changeHost(tx, { author, now, id: params.hostID, change: body });
    return done(await getHost(tx, author.organizationID, { id: params.hostID, now }), ...entries);
  };
  const block =
    (isBlocked: boolean) =>
    async ({ actor, now, params }: Call & { params: { hostID: string } }, tx: Writer) => {
      const author = authorOf(actor);
      const rows = [await lockHostForChange(tx, author.organizationID, params.hostID)] as const;
      const entries = await setBlocked(tx, { author, now, rows, isBlocked });
      return done(await getHost(tx, author.organizationID, { id: params.hostID, now }), ...entries);
    };

  routes.write(contract.updateHostV2, async (call, tx) => {
    await requireVersion1Host(tx, call.actor.organization.id, call.params.hostID);
    return mapOutcome(await change(call, tx), toHost);
  });
  routes.write(contract.updateHostV3, async (call, tx) => mapOutcome(await change(call, tx), toHostV2));
  routes.write(contract.blockHost, async (call, tx) => {
    await requireVersion1Host(tx, call.actor.organization.id, call.params.hostID);
    return mapOutcome(await block(true)(call, tx), (row) => ({ host: toHost(row) }));
  });
  routes.write(contract.blockHostV2, async (call, tx) => mapOutcome(await block(true)(call, tx), toHostV2));
  routes.write(contract.unblockHost, async (call, tx) => {
    await requireVersion1Host(tx, call.actor.organization.id, call.params.hostID);
    return mapOutcome(await block(false)(call, tx), (row) => ({ host: toHost(row) }));
  });
  routes.write(contract.unblockHostV2, async (call, tx) =>
    mapOutcome(await block(false)(call, tx), toHostV2),
  );
  routes.write(contract.deleteHost, async ({ actor, params, now }, tx) => {
    const author = authorOf(actor);
    const row = await lockHostForChange(tx, author.organizationID, params.hostID);
    return done({}, ...(await removeHosts(tx, { author, now, rows: [row] })));
  });
}
