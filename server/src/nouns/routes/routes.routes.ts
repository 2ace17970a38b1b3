import * as contract from "@lightkeeper/contract";
import type { Route, RouteListItem } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { mapOutcome } from "../../infrastructure/db/audited.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Routes } from "../../infrastructure/http/route.ts";
import { findRoute, type ListedRoute, listRoutes, type RouteRow } from "./routes.queries.ts";
import { createRoute, deleteRoute, updateRoute } from "./routes.service.ts";

const commonFields = (row: Omit<ListedRoute, "firewall_rules_count">) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  ...(row.router_host_id !== null && { routerHostID: row.router_host_id }),
  routableCIDRs: row.routable_cidrs,
  acceptWiderRules: row.accept_wider_rules,
  createdAt: row.created_at.toISOString(),
  modifiedAt: row.modified_at.toISOString(),
});

const toListItem = (row: ListedRoute): RouteListItem => ({
  ...commonFields(row),
  firewallRulesCount: row.firewall_rules_count,
});

const toRoute = (row: RouteRow): Route => ({ ...commonFields(row), firewallRules: row.firewall_rules });

export function serveRoutes(routes: Routes, ctx: Context): void {
  routes.read(contract.listRoutes, async ({ actor, query }) => {
    const { rows, metadata } = await listRoutes(
      ctx.reader,
      actor.organization.id,
      query["filter.search"],
      query,
    );
    return { data: rows.map(toListItem), metadata };
  });

  routes.read(contract.getRoute, async ({ actor, params }) => {
    const row = await findRoute(ctx.reader, actor.organization.id, params.routeID);
    if (!row) throw new ApiError("ERR_NOT_FOUND");
    return toRoute(row);
  });

  routes.write(contract.createRoute, async ({ actor, body, now }, tx) =>
    mapOutcome(await createRoute(tx, { actor, body, now }), toRoute),
  );
  routes.write(contract.updateRoute, async ({ actor, params, body, now }, tx) =>
    mapOutcome(await updateRoute(tx, { actor, id: params.routeID, body, now }), toRoute),
  );
  routes.write(contract.deleteRoute, ({ actor, params }, tx) =>
    deleteRoute(tx, { actor, id: params.routeID }),
  );
}
