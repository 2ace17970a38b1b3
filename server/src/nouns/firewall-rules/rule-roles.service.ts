import type { FirewallRule } from "@lightkeeper/contract";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockRolesForKeyShare } from "../../infrastructure/db/locks.ts";
import { requireNoProblems } from "../../infrastructure/errors/api-error.ts";

/** Keeps the roles that rules refer to from being deleted before the rules are stored. */
export async function requireRuleRoles(
  tx: Writer,
  organizationID: string,
  rules: readonly Pick<FirewallRule, "allowedRoleID">[],
): Promise<void> {
  const ids = new Set(rules.flatMap(({ allowedRoleID }) => allowedRoleID ?? []));
  const roles = await lockRolesForKeyShare(tx, organizationID, [...ids]);
  const existing = new Set(roles.map(({ id }) => id));
  const problems = rules.flatMap(({ allowedRoleID }, index) =>
    allowedRoleID !== null && !existing.has(allowedRoleID)
      ? [{ code: "ERR_INVALID_REFERENCE" as const, path: `firewallRules[${index}].allowedRoleID` }]
      : [],
  );
  requireNoProblems(problems);
}
