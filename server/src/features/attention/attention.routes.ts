import * as contract from "@lightkeeper/contract";
import { releaseOf } from "../../infrastructure/config/version.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { readAttention } from "./attention.service.ts";
import { createWaitingHostsFinder, type ListWaitingHosts } from "./waiting-hosts.ts";

export function serveAttention(routes: Routes, ctx: Context, listWaitingHosts: ListWaitingHosts): void {
  const sources = { db: ctx.reader, findWaitingHosts: createWaitingHostsFinder(ctx, listWaitingHosts) };
  routes.read(contract.getAttention, ({ actor, query, now }) =>
    readAttention(sources, {
      organizationID: actor.organization.id,
      networkID: query["filter.networkID"],
      kind: { isLighthouse: query["filter.isLighthouse"], isRelay: query["filter.isRelay"] },
      agentVersion: releaseOf(ctx.version),
      now,
    }),
  );
}
