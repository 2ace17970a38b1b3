// Which roles, tags and routes differ between two networks, apart from names and descriptions.

import type { RouteFirewallRule } from "../firewall.ts";
import type { SlotChange } from "./host-table.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessNetwork, AccessRoute } from "./network.ts";

export interface RuleChanges {
  readonly roleIDs: readonly string[];
  /** Tags with other rules. */
  readonly tags: readonly string[];
  /** Tags whose hosts use other routes. */
  readonly tagsWithRoutes: readonly string[];
  readonly routeIDs: readonly string[];
}

export function findRuleChanges(before: AccessNetwork, after: AccessNetwork): RuleChanges {
  const tags = listChangedKeys(before.tags, after.tags);
  const routeIDsOf = ({ tags: all }: AccessNetwork, name: string) => all.get(name)?.routeIDs ?? [];
  return {
    roleIDs: listChangedKeys(before.roles, after.roles).filter(
      (id) => !haveSameRules(before.roles.get(id), after.roles.get(id)),
    ),
    tags: tags.filter(
      (name) => !haveSameRules(before.tags.get(name)?.firewallRules, after.tags.get(name)?.firewallRules),
    ),
    tagsWithRoutes: tags.filter((name) => !haveSameItems(routeIDsOf(before, name), routeIDsOf(after, name))),
    routeIDs: listChangedRoutes(before.routes, after.routes),
  };
}

function listChangedKeys<Value>(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): string[] {
  if (before === after) return [];
  const changed = [...after].filter(([key, value]) => before.get(key) !== value).map(([key]) => key);
  const deleted = [...before.keys()].filter((key) => !after.has(key));
  return [...changed, ...deleted];
}

/** Whether two lists contain the same, in any order. */
export function haveSameItems(a: readonly string[], b: readonly string[]): boolean {
  if (a === b) return true;
  const [first, second] = [new Set(a), new Set(b)];
  return first.size === second.size && a.every((item) => second.has(item));
}

/** The order of rules and duplicates make no difference. */
function haveSameRules(
  before: readonly RouteFirewallRule[] = [],
  after: readonly RouteFirewallRule[] = [],
): boolean {
  return before === after || haveSameItems(before.map(describeRule), after.map(describeRule));
}

const describeRule = ({ protocol, portRange, allowedRoleID, allowedTags, localCIDR }: RouteFirewallRule) =>
  JSON.stringify([
    protocol,
    protocol === "ICMP" || !portRange ? null : [portRange.from, portRange.to],
    allowedRoleID ?? null,
    [...new Set(allowedTags)].toSorted(),
    localCIDR ?? null,
  ]);

function listChangedRoutes(before: readonly AccessRoute[], after: readonly AccessRoute[]): string[] {
  if (before === after) return [];
  const [was, is] = [before, after].map((routes) => new Map(routes.map((route) => [route.id, route]))) as [
    Map<string, AccessRoute>,
    Map<string, AccessRoute>,
  ];
  return listChangedKeys(was, is).filter((id) => !isSameRoute(was.get(id), is.get(id)));
}

function isSameRoute(before: AccessRoute | undefined, after: AccessRoute | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    before.routerHostID === after.routerHostID &&
    before.acceptWiderRules === after.acceptWiderRules &&
    haveSameItems(describeSubnets(before), describeSubnets(after)) &&
    haveSameRules(before.firewallRules, after.firewallRules)
  );
}

const describeSubnets = ({ routableCIDRs }: AccessRoute) =>
  Object.entries(routableCIDRs).map(([cidr, { install }]) => `${cidr} ${install}`);

/** Routes whose users must send to another address: the router was created, deleted or moved. */
export function listMovedRoutes(
  before: AccessNetwork,
  after: AccessNetwork,
  changes: readonly SlotChange[],
): string[] {
  return changes
    .filter((change) => !haveSameItems(change.before?.addresses ?? [], change.after?.addresses ?? []))
    .flatMap((change) => {
      const id = (change.after ?? change.before)!.id;
      return [before, after].flatMap((network) => indexNetwork(network).routesByRouterID.get(id) ?? []);
    })
    .map(({ id }) => id);
}
