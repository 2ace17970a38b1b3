import { sql } from "kysely";
import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { type Detachment, rulesRelation, withDetachedRules } from "../firewall-rules/detached-rules.ts";
import { tagEntry } from "./tag-entry.ts";
import { findTagsNaming } from "./tags.queries.ts";

/** Removes a role or tag from the rules of all other tags. The caller has locked the organization. */
export async function detachFromTags(
  tx: Writer,
  { author, reference, now }: Detachment,
): Promise<{ names: string[]; entries: AuditEntry[] }> {
  const { organizationID } = author;
  const changes = (await findTagsNaming(tx, organizationID, reference)).map((before) => ({
    before,
    after: withDetachedRules(before, reference),
  }));
  const rows = changes.map(({ after }) => ({ key: after.name, firewall_rules: after.firewall_rules }));
  if (rows.length > 0)
    await sql`
      update tags changed set firewall_rules = after.firewall_rules, modified_at = ${now}
        from ${rulesRelation(rows)}
        where organization_id = ${organizationID} and changed.name = after.key`.execute(tx);
  return {
    names: rows.map(({ key }) => key),
    entries: changes.map(({ before, after }) =>
      tagEntry(author, after.name, { event: "UPDATED", before, after }),
    ),
  };
}
