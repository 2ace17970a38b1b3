import { sql } from "kysely";
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockRolesForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import {
  areNamingRules,
  type Detachment,
  rulesRelation,
  withDetachedRules,
} from "../firewall-rules/detached-rules.ts";
import { roleEntry } from "./role-entry.ts";

/** Removes a role or tag from the rules of all other roles. */
export async function detachFromRoles(
  tx: Writer,
  { author, reference, now }: Detachment,
): Promise<{ ids: string[]; entries: AuditEntry[] }> {
  const { organizationID } = author;
  const deletedID = "roleID" in reference ? reference.roleID : "";
  const isAffected = sql<boolean>`${areNamingRules(reference)} and id <> ${deletedID}`;
  const changes = (await lockRolesForNoKeyUpdate(tx, organizationID, isAffected)).map((before) => ({
    before,
    after: withDetachedRules(before, reference),
  }));
  const rows = changes.map(({ after }) => ({ key: after.id, firewall_rules: after.firewall_rules }));
  if (rows.length > 0)
    await sql`
      update roles changed set firewall_rules = after.firewall_rules, modified_at = ${now}
        from ${rulesRelation(rows)}
        where organization_id = ${organizationID} and changed.id = after.key`.execute(tx);
  return {
    ids: rows.map(({ key }) => key),
    entries: changes.map(({ before, after }) =>
      roleEntry(author, after.id, { event: "UPDATED", before, after }),
    ),
  };
}
