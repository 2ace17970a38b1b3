import type { BodyOf, createTag as createEndpoint, updateTag as updateEndpoint } from "@lightkeeper/contract";
import { done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockOrganizationForNoKeyUpdate,
  lockRoutesForKeyShare,
  lockTagsForUpdate,
} from "../../infrastructure/db/locks.ts";
import type { Detach } from "../firewall-rules/detached-rules.ts";
import { requireNoDependents } from "../../features/dependents/dependents.service.ts";
import { requireRuleRoles } from "../firewall-rules/rule-roles.service.ts";
import { ApiError, requireNoProblems } from "../../infrastructure/errors/api-error.ts";
import { type Actor, authorOf } from "../../infrastructure/http/actor.ts";
import { lockNetworksAndBumpRevisions } from "../networks/revisions.service.ts";
import { removeFromDeviceSettings } from "../sso/device-settings.service.ts";
import { requireValidOverrides } from "./config-overrides.service.ts";
import { ensureTags } from "./ensure-tags.service.ts";
import { tagEntry } from "./tag-entry.ts";
import { freePriority, requireOnePosition, topPriority } from "./tag-order.ts";
import { findTag, type WholeTag } from "./tags.queries.ts";

interface CreateTag {
  actor: Actor;
  body: BodyOf<typeof createEndpoint>;
  now: Date;
}

export async function createTag(
  tx: Writer,
  { actor, body: { name, ...body }, now }: CreateTag,
): Promise<Outcome<WholeTag>> {
  requireValidOverrides(body.configOverrides);
  requireOnePosition(body);
  const author = authorOf(actor);
  const { organizationID } = author;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  if (await findTag(tx, organizationID, name)) throw new ApiError("ERR_DUPLICATE_VALUE", { path: "name" });
  const rules = body.firewallRules ?? [];
  const otherTags = rules.flatMap(({ allowedTags = [] }) => allowedTags).filter((tag) => tag !== name);
  const tagEntries = await ensureTags(tx, { author, names: otherTags, now });
  const priority = await freePriority(tx, { organizationID, name, before: body.before, after: body.after });
  await tx
    .insertInto("tags")
    .values({
      organization_id: organizationID,
      name,
      description: body.description,
      priority: priority ?? (await topPriority(tx, organizationID)),
      config_overrides: JSON.stringify(body.configOverrides),
      firewall_rules: JSON.stringify(rules),
      created_at: now,
      modified_at: now,
    })
    .execute();
  await requireRuleRoles(tx, organizationID, rules);
  await replaceSubscriptions(tx, { organizationID, name, routeIDs: body.routeSubscriptions });
  const tag = await getTag(tx, organizationID, name);
  return done(tag, tagEntry(author, name, { event: "CREATED", before: null, after: tag }), ...tagEntries);
}

interface UpdateTag {
  actor: Actor;
  name: string;
  body: BodyOf<typeof updateEndpoint>;
  now: Date;
}

/** Without rules or a position, those of the tag stay unchanged. */
export async function updateTag(
  tx: Writer,
  { actor, name, body, now }: UpdateTag,
): Promise<Outcome<WholeTag>> {
  requireValidOverrides(body.configOverrides);
  requireOnePosition(body);
  const author = authorOf(actor);
  const { organizationID } = author;
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const before = await getTag(tx, organizationID, name);
  const rules = body.firewallRules ?? undefined;
  const names = (rules ?? []).flatMap(({ allowedTags = [] }) => allowedTags);
  const tagEntries = await ensureTags(tx, { author, names, now });
  await tx
    .updateTable("tags")
    .set({
      description: body.description,
      priority: await freePriority(tx, { organizationID, name, before: body.before, after: body.after }),
      config_overrides: JSON.stringify(body.configOverrides),
      firewall_rules: rules && JSON.stringify(rules),
      modified_at: now,
    })
    .where("organization_id", "=", organizationID)
    .where("name", "=", name)
    .execute();
  await requireRuleRoles(tx, organizationID, rules ?? []);
  await replaceSubscriptions(tx, { organizationID, name, routeIDs: body.routeSubscriptions });
  await lockNetworksAndBumpRevisions(tx, organizationID, { tags: [name] });
  const after = await getTag(tx, organizationID, name);
  return done(after, tagEntry(author, name, { event: "UPDATED", before, after }), ...tagEntries);
}

interface DeleteTag {
  actor: Actor;
  name: string;
  /** Also remove it from hosts and rules; otherwise a tag in use is not deleted. */
  detach: Detach | undefined;
  now: Date;
}

export async function deleteTag(
  tx: Writer,
  { actor, name, detach, now }: DeleteTag,
): Promise<Outcome<Record<string, never>>> {
  const author = authorOf(actor);
  const { organizationID } = author;
  const reference = { tag: name };
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  await lockTagsForUpdate(tx, organizationID, [name]);
  const before = await getTag(tx, organizationID, name);
  if (!detach) await requireNoDependents(tx, organizationID, reference);
  const detached = detach ? await detach(tx, { author, reference, now }) : [];
  const settings = await removeFromDeviceSettings(tx, { author, reference, now });
  await tx
    .deleteFrom("tags")
    .where("organization_id", "=", organizationID)
    .where("name", "=", name)
    .execute();
  const deletion = tagEntry(author, name, { event: "DELETED", before, after: null });
  return done({}, deletion, ...detached, ...settings);
}

async function getTag(tx: Writer, organizationID: string, name: string): Promise<WholeTag> {
  const tag = await findTag(tx, organizationID, name);
  if (!tag) throw new ApiError("ERR_NOT_FOUND");
  return tag;
}

interface Subscriptions {
  organizationID: string;
  name: string;
  routeIDs: readonly string[];
}

/** Locks the routes before their subscriptions, as the deletion of a route does. */
async function replaceSubscriptions(
  tx: Writer,
  { organizationID, name, routeIDs }: Subscriptions,
): Promise<void> {
  const routes = await lockRoutesForKeyShare(tx, organizationID, [...new Set(routeIDs)]);
  const existing = new Set(routes.map(({ id }) => id));
  const problems = routeIDs.flatMap((id, index) =>
    existing.has(id)
      ? []
      : [{ code: "ERR_INVALID_REFERENCE" as const, path: `routeSubscriptions[${index}]` }],
  );
  requireNoProblems(problems);
  let unsubscribed = tx
    .deleteFrom("route_subscriptions")
    .where("organization_id", "=", organizationID)
    .where("tag", "=", name);
  if (existing.size > 0) unsubscribed = unsubscribed.where("route_id", "not in", [...existing]);
  await unsubscribed.execute();
  if (existing.size === 0) return;
  await tx
    .insertInto("route_subscriptions")
    .values([...existing].map((id) => ({ organization_id: organizationID, tag: name, route_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
