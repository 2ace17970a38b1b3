/** What uses a role or tag, and how deleting it with `detach` changes that. */
import type { Dependents, RuleOwner } from "@lightkeeper/contract";
import type { Reader } from "../../infrastructure/db/client.ts";
import { isUsedForDevices } from "../../nouns/sso/device-settings.service.ts";
import { findHostsOf, findRuleOwners, SHOWN_MAX } from "./dependents.queries.ts";
import { changedRules, type Reference } from "../../nouns/firewall-rules/detached-rules.ts";

export async function previewDetach(
  db: Reader,
  organizationID: string,
  reference: Reference,
): Promise<Dependents> {
  const owners = (await findRuleOwners(db, organizationID, reference)).map((owner): RuleOwner => ({
    ...owner,
    rules: changedRules(owner.rules, reference),
  }));
  const rules = owners.flatMap((owner) => owner.rules);
  const hosts = await findHostsOf(db, organizationID, reference);
  return {
    hostCount: hosts.total,
    hosts: hosts.first,
    ruleCount: rules.length,
    removedRuleCount: rules.filter(({ after }) => after === null).length,
    ruleOwnerCount: owners.length,
    ruleOwners: owners.slice(0, SHOWN_MAX),
    isUsedForDevices: await isUsedForDevices(db, organizationID, reference),
  };
}
