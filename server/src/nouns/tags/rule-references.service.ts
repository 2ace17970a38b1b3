import type { FirewallRule } from "@lightkeeper/contract";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { requireRuleRoles } from "../firewall-rules/rule-roles.service.ts";
import { ensureTags } from "./ensure-tags.service.ts";

interface RuleReferences {
  author: Author;
  rules: readonly Pick<FirewallRule, "allowedRoleID" | "allowedTags">[];
  now: Date;
}

/** Locks the roles and tags that rules refer to, creates missing tags, and returns the audit entries of those. */
export async function ensureRuleReferences(
  tx: Writer,
  { author, rules, now }: RuleReferences,
): Promise<AuditEntry[]> {
  const names = rules.flatMap(({ allowedTags = [] }) => allowedTags);
  const entries = await ensureTags(tx, { author, names, now });
  await requireRuleRoles(tx, author.organizationID, rules);
  return entries;
}
