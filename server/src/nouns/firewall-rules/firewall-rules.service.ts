/** What the rules of roles, tags and routes name, and that it stays while they name it. */
import type { FirewallRule } from "@lightkeeper/contract";
import type { AuditEntry, Author } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockRolesForKeyShare } from "../../infrastructure/db/locks.ts";
import { refuseAll } from "../../infrastructure/errors/api-error.ts";
import { ensureTags } from "../tags/named-tags.service.ts";

type Naming = Pick<FirewallRule, "allowedRoleID" | "allowedTags">;

export interface RuleReferences {
  author: Author;
  rules: readonly Naming[];
  now: Date;
  /** What the caller calls the rules in its body. */
  path?: string;
}

/**
 * Every role a rule names must be there and every tag is made if it is not; all stay there until the rules are
 * stored. Answers the entries of the tags made.
 */
export async function holdRuleReferences(
  tx: Writer,
  { author, rules, now, path = "firewallRules" }: RuleReferences,
): Promise<AuditEntry[]> {
  const names = rules.flatMap(({ allowedTags = [] }) => allowedTags);
  const made = await ensureTags(tx, { author, names, now });
  const ids = rules.flatMap(({ allowedRoleID }) => allowedRoleID ?? []);
  const roles = await lockRolesForKeyShare(tx, author.organizationID, [...new Set(ids)]);
  const known = new Set(roles.map(({ id }) => id));
  const faults = rules.flatMap(({ allowedRoleID }, index) =>
    allowedRoleID !== null && !known.has(allowedRoleID)
      ? [{ code: "ERR_INVALID_REFERENCE" as const, path: `${path}[${index}].allowedRoleID` }]
      : [],
  );
  refuseAll(faults);
  return made;
}
