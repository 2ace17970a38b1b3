/** Removes a role or tag from everything that uses it, before it is deleted in the same transaction. */
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { Detachment } from "../../nouns/firewall-rules/detached-rules.ts";
import { detachFromHosts } from "../../nouns/hosts/detached-hosts.service.ts";
import { lockNetworksAndBumpRevisions } from "../../nouns/networks/revisions.service.ts";
import { detachFromRoles } from "../../nouns/roles/detached-roles.service.ts";
import { detachFromRoutes } from "../../nouns/routes/detached-routes.service.ts";
import { detachFromTags } from "../../nouns/tags/detached-tags.service.ts";

/**
 * The caller has locked the organization and then the role or tag, so that nothing can start to use it. What uses it
 * is locked in the order that all writers keep: roles, routes, networks, hosts.
 */
export async function detach(tx: Writer, detachment: Detachment): Promise<AuditEntry[]> {
  const { author, reference } = detachment;
  const tags = await detachFromTags(tx, detachment);
  const roles = await detachFromRoles(tx, detachment);
  const routes = await detachFromRoutes(tx, detachment);
  await lockNetworksAndBumpRevisions(tx, author.organizationID, {
    tags: [...tags.names, ...("tag" in reference ? [reference.tag] : [])],
    roleIDs: [...roles.ids, ...("roleID" in reference ? [reference.roleID] : [])],
    hostIDs: routes.routerIDs,
  });
  const hostEntries = await detachFromHosts(tx, detachment);
  return [...tags.entries, ...roles.entries, ...routes.entries, ...hostEntries];
}
