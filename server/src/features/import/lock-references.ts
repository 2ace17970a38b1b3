import { sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockAllNetworksForNoKeyUpdate,
  lockOrganizationForNoKeyUpdate,
  lockRolesForNoKeyUpdate,
  lockRoutesForKeyShare,
  lockTagsForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import { type ParsedItems, referencedRoles, referencedTags } from "./items.ts";

/** Locks all that a plan refers to, so that it stays as it was planned. Hosts are locked with their networks. */
export async function lockReferences(tx: Writer, organizationID: string, items: ParsedItems): Promise<void> {
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  const tags = referencedTags(items);
  await lockTagsForNoKeyUpdate(tx, organizationID, tags);
  const names = referencedRoles(items);
  const isNamed = sql<boolean>`(id = any(${names}::text[])
    or lower(name) in (select lower(named.name) from unnest(${names}::text[]) named (name)))`;
  if (names.length > 0) await lockRolesForNoKeyUpdate(tx, organizationID, isNamed);
  const subscriptions = await tx
    .selectFrom("route_subscriptions")
    .select("route_id")
    .distinct()
    .where("organization_id", "=", organizationID)
    .where(sql<boolean>`tag = any(${tags}::text[])`)
    .execute();
  const routeIDs = subscriptions.map(({ route_id }) => route_id);
  await lockRoutesForKeyShare(tx, organizationID, routeIDs);
  await lockAllNetworksForNoKeyUpdate(tx, organizationID);
}
