// Roles and tags with rules, and which of them allow a host.

import type { FirewallRule } from "../firewall.ts";
import type { Bits } from "./bits.ts";
import type { ClassView } from "./classes.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { isPeer } from "./peers.ts";
import { trafficOf } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";

export interface RuleOwner {
  readonly kind: "role" | "tag";
  readonly key: string;
  readonly rules: readonly FirewallRule[];
}

const ownersOfRoles = new WeakMap<AccessNetwork["roles"], readonly RuleOwner[]>();
const ownersOfTags = new WeakMap<AccessNetwork["tags"], readonly RuleOwner[]>();

export function listRuleOwners({ roles, tags }: AccessNetwork): readonly (readonly RuleOwner[])[] {
  const ofRoles =
    ownersOfRoles.get(roles) ??
    [...roles].flatMap(([key, rules]) => (rules.length > 0 ? [{ kind: "role" as const, key, rules }] : []));
  ownersOfRoles.set(roles, ofRoles);
  const ofTags =
    ownersOfTags.get(tags) ??
    [...tags].flatMap(([key, { firewallRules: rules }]) =>
      rules.length > 0 ? [{ kind: "tag" as const, key, rules }] : [],
    );
  ownersOfTags.set(tags, ofTags);
  return [ofRoles, ofTags];
}

/** A role or tag, and what its rules allow a host to send. */
export interface AllowingOwner {
  readonly owner: RuleOwner;
  readonly traffic: readonly TrafficRange[];
}

export function findAllowingOwners(network: AccessNetwork, host: AccessHost): AllowingOwner[] {
  const allowing: AllowingOwner[] = [];
  for (const owners of listRuleOwners(network))
    for (const owner of owners) {
      const traffic: TrafficRange[] = [];
      for (const rule of owner.rules) if (isPeer(host, rule)) traffic.push(...trafficOf(rule));
      if (traffic.length > 0) allowing.push({ owner, traffic });
    }
  return allowing;
}

export const hostsOfOwner = ({ byRole, byTag }: ClassView, { kind, key }: RuleOwner): Bits | undefined =>
  (kind === "role" ? byRole : byTag).get(key);
