import type { BodyOf, createRoute as createEndpoint } from "@lightkeeper/contract";
import { newId } from "../crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import { violates } from "../db/violations.ts";
import { holdRuleReferences } from "../firewall-rules/firewall-rules.service.ts";
import { ApiError } from "../http/api-error.ts";
import { type Actor, authorOf } from "../http/credentials.ts";
import { checkNetworks, refuseOverlay } from "./routable-cidrs.ts";
import { holdRoute, holdRouter, type RouteRow } from "./routes.queries.ts";

type Body = BodyOf<typeof createEndpoint>;

const auditRoute = (row: RouteRow) => ({
  name: row.name,
  description: row.description,
  routerHostID: row.router_host_id,
  routableCIDRs: row.routable_cidrs,
  firewallRules: row.firewall_rules,
});

type Change = Pick<AuditEntry, "event" | "before" | "after">;

const entry = (actor: Actor, id: string, change: Change): AuditEntry => ({
  ...authorOf(actor),
  target: { type: "route", id },
  ...change,
});

const columns = (body: Body, now: Date) => ({
  name: body.name,
  description: body.description,
  router_host_id: body.routerHostID,
  routable_cidrs: JSON.stringify(body.routableCIDRs),
  firewall_rules: JSON.stringify(body.firewallRules ?? []),
  modified_at: now,
});

/** Everything the route refers to is there, and stays there until the route is stored. */
async function holdReferences(tx: Writer, actor: Actor, body: Body, now: Date): Promise<AuditEntry[]> {
  const rules = body.firewallRules ?? [];
  const made = await holdRuleReferences(tx, { author: authorOf(actor), rules, now });
  if (body.routerHostID === null) return made;
  const overlay = await holdRouter(tx, actor.organization.id, body.routerHostID);
  if (overlay === undefined) throw new ApiError("ERR_INVALID_REFERENCE", { path: "routerHostID" });
  refuseOverlay(body, overlay);
  return made;
}

async function refusingTakenName<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (violates(error, "routes_name_unique")) throw new ApiError("ERR_DUPLICATE_VALUE", { path: "name" });
    throw error;
  }
}

export async function createRoute(
  tx: Writer,
  { actor, body, now }: { actor: Actor; body: Body; now: Date },
): Promise<Outcome<RouteRow>> {
  checkNetworks(body);
  const made = await holdReferences(tx, actor, body, now);
  const row = await refusingTakenName(
    tx
      .insertInto("routes")
      .values({
        id: newId("route"),
        organization_id: actor.organization.id,
        ...columns(body, now),
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  const change = { event: "CREATED", before: null, after: auditRoute(row) } as const;
  return done(row, entry(actor, row.id, change), ...made);
}

async function getHeld(tx: Writer, actor: Actor, id: string): Promise<RouteRow> {
  const row = await holdRoute(tx, actor.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function updateRoute(
  tx: Writer,
  { actor, id, body, now }: { actor: Actor; id: string; body: Body; now: Date },
): Promise<Outcome<RouteRow>> {
  checkNetworks(body);
  const made = await holdReferences(tx, actor, body, now);
  const before = await getHeld(tx, actor, id);
  const after = await refusingTakenName(
    tx
      .updateTable("routes")
      .set(columns(body, now))
      .where("organization_id", "=", actor.organization.id)
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  const change = { event: "UPDATED", before: auditRoute(before), after: auditRoute(after) } as const;
  return done(after, entry(actor, id, change), ...made);
}

/** Subscriptions to it end with it. */
export async function deleteRoute(
  tx: Writer,
  { actor, id }: { actor: Actor; id: string },
): Promise<Outcome<Record<string, never>>> {
  const row = await getHeld(tx, actor, id);
  await tx
    .deleteFrom("routes")
    .where("organization_id", "=", actor.organization.id)
    .where("id", "=", id)
    .execute();
  return done({}, entry(actor, id, { event: "DELETED", before: auditRoute(row), after: null }));
}
