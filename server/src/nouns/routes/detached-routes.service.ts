import { sql } from "kysely";
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockRoutesForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import {
  areNamingRules,
  type Detachment,
  rulesRelation,
  withDetachedRules,
} from "../firewall-rules/detached-rules.ts";
import { routeEntry } from "./route-entry.ts";

/** Removes a role or tag from the rules of all routes. */
export async function detachFromRoutes(
  tx: Writer,
  { author, reference, now }: Detachment,
): Promise<{ routerIDs: string[]; entries: AuditEntry[] }> {
  const { organizationID } = author;
  const routes = await lockRoutesForNoKeyUpdate(tx, organizationID, areNamingRules(reference));
  const changes = routes.map((before) => ({
    before,
    after: withDetachedRules(before, reference),
  }));
  const rows = changes.map(({ after }) => ({ key: after.id, firewall_rules: after.firewall_rules }));
  if (rows.length > 0)
    await sql`
      update routes changed set firewall_rules = after.firewall_rules, modified_at = ${now}
        from ${rulesRelation(rows)}
        where organization_id = ${organizationID} and changed.id = after.key`.execute(tx);
  return {
    routerIDs: changes.flatMap(({ after }) => after.router_host_id ?? []),
    entries: changes.map(({ before, after }) =>
      routeEntry(author, after.id, { event: "UPDATED", before, after }),
    ),
  };
}
