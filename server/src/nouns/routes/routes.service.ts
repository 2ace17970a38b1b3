import type { BodyOf, createRoute as createEndpoint } from "@lightkeeper/contract";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockHostForKeyShare,
  lockNetworksForNoKeyUpdate,
  lockRouteForNoKeyUpdate,
  lockRouteForUpdate,
} from "../../infrastructure/db/locks.ts";
import { requireUnique } from "../../infrastructure/db/violations.ts";
import { ensureRuleReferences } from "../tags/rule-references.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { addressesOf } from "../hosts/host-addresses.ts";
import { cidrsOf } from "../networks/network-cidrs.ts";
import { bumpRevisions } from "../networks/revisions.service.ts";
import { routeEntry } from "./route-entry.ts";
import { canonicalSubnets, requireServableSubnets, requireValidSubnets } from "./routable-cidrs.ts";
import { findNetworkIDs, findRouter, findRuleSources, type RouteRow } from "./routes.queries.ts";
import { isTooOld, requireNoWiderRules } from "./wider-rules.ts";

type Body = BodyOf<typeof createEndpoint>;

const columns = (body: Body, now: Date) => {
  const { routableCIDRs, firewallRules } = canonicalSubnets(body);
  return {
    name: body.name,
    description: body.description,
    router_host_id: body.routerHostID,
    routable_cidrs: JSON.stringify(routableCIDRs),
    firewall_rules: JSON.stringify(firewallRules),
    accept_wider_rules: body.acceptWiderRules,
    modified_at: now,
  };
};

const ensureReferences = (
  tx: Writer,
  actor: Actor,
  { firewallRules }: Body,
  now: Date,
): Promise<AuditEntry[]> =>
  ensureRuleReferences(tx, { author: authorOf(actor), rules: firewallRules ?? [], now });

/** A route changes the configuration of its routers and of the hosts that use it, all in the routers' networks. */
async function bumpRouterNetworks(tx: Writer, actor: Actor, routers: (string | null)[]): Promise<void> {
  const organizationID = actor.organization.id;
  const ids = routers.filter((id) => id !== null);
  if (ids.length === 0) return;
  const networkIDs = await findNetworkIDs(tx, organizationID, ids);
  await lockNetworksForNoKeyUpdate(tx, organizationID, networkIDs);
  await bumpRevisions(tx, organizationID, networkIDs);
}

/** Keeps the router from being deleted before the route is stored. Its network is already locked. */
async function requireRouter(tx: Writer, actor: Actor, id: string, body: Body): Promise<void> {
  if (body.routerHostID === null) return;
  const organizationID = actor.organization.id;
  await lockHostForKeyShare(tx, organizationID, body.routerHostID);
  const router = await findRouter(tx, organizationID, body.routerHostID);
  if (!router) throw new ApiError("ERR_INVALID_REFERENCE", { path: "routerHostID" });
  const { nebulaVersion, roleID, tags } = router;
  requireServableSubnets(body, { cidrs: cidrsOf(router), addresses: addressesOf(router) });
  if (body.acceptWiderRules || !isTooOld(nebulaVersion)) return;
  const routerRules = { hostID: body.routerHostID, roleID, tags, exceptRouteID: id };
  requireNoWiderRules({ id, ...body }, nebulaVersion, await findRuleSources(tx, organizationID, routerRules));
}

const UNIQUE_NAME = { index: "routes_name_unique", path: "name" };

export async function createRoute(
  tx: Writer,
  { actor, body, now }: { actor: Actor; body: Body; now: Date },
): Promise<Outcome<RouteRow>> {
  requireValidSubnets(body);
  const tagEntries = await ensureReferences(tx, actor, body, now);
  await bumpRouterNetworks(tx, actor, [body.routerHostID]);
  const id = newId("route");
  await requireRouter(tx, actor, id, body);
  const row = await requireUnique(
    tx
      .insertInto("routes")
      .values({
        id,
        organization_id: actor.organization.id,
        ...columns(body, now),
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
    UNIQUE_NAME,
  );
  const change = { event: "CREATED", before: null, after: row } as const;
  return done(row, routeEntry(authorOf(actor), row.id, change), ...tagEntries);
}

async function getLocked(tx: Writer, actor: Actor, id: string): Promise<RouteRow> {
  const row = await lockRouteForNoKeyUpdate(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function updateRoute(
  tx: Writer,
  { actor, id, body, now }: { actor: Actor; id: string; body: Body; now: Date },
): Promise<Outcome<RouteRow>> {
  requireValidSubnets(body);
  const tagEntries = await ensureReferences(tx, actor, body, now);
  const before = await getLocked(tx, actor, id);
  await bumpRouterNetworks(tx, actor, [before.router_host_id, body.routerHostID]);
  await requireRouter(tx, actor, id, body);
  const after = await requireUnique(
    tx
      .updateTable("routes")
      .set(columns(body, now))
      .where("organization_id", "=", actor.organization.id)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
    UNIQUE_NAME,
  );
  return done(after, routeEntry(authorOf(actor), id, { event: "UPDATED", before, after }), ...tagEntries);
}

/** The subscriptions of tags cascade. */
export async function deleteRoute(
  tx: Writer,
  { actor, id }: { actor: Actor; id: string },
): Promise<Outcome<Record<string, never>>> {
  const row = await lockRouteForUpdate(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  await bumpRouterNetworks(tx, actor, [row.router_host_id]);
  await tx
    .deleteFrom("routes")
    .where("organization_id", "=", actor.organization.id)
    .where("id", "=", id)
    .execute();
  return done({}, routeEntry(authorOf(actor), id, { event: "DELETED", before: row, after: null }));
}

export async function deleteRoutesOfOrganization(tx: Writer, organizationID: string): Promise<void> {
  await tx.deleteFrom("routes").where("organization_id", "=", organizationID).execute();
}
