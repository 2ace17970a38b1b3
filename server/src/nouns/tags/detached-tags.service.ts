import type { AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { type Detachment, withDetachedRules, writeRules } from "../firewall-rules/detached-rules.ts";
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
  await writeRules(tx, { table: "tags", organizationID, rows, now });
  return {
    names: rows.map(({ key }) => key),
    entries: changes.map(({ before, after }) =>
      tagEntry(author, after.name, { event: "UPDATED", before, after }),
    ),
  };
}
