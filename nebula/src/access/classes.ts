// Hosts that no rule can tell apart are one class. The engine works on classes: thousands of hosts are usually a few
// dozen of them.

import type { FirewallRule } from "../firewall.ts";
import { addBit, intersectBits, noBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findProblem } from "./verdict.ts";

/** A network, seen class by class. */
export interface ClassView {
  readonly network: AccessNetwork;
  /** One host of each class; undefined for hosts that don't exist in this network. */
  readonly hosts: readonly (AccessHost | undefined)[];
  /** The classes whose hosts can have tunnels. */
  readonly connected: Bits;
  readonly byRole: ReadonlyMap<string, Bits>;
  readonly byTag: ReadonlyMap<string, Bits>;
}

/** Tags that a rule or a route mentions. All others are only labels. */
export function findRelevantTags({ roles, tags, routes }: AccessNetwork): Set<string> {
  const rules: FirewallRule[] = [
    ...[...roles.values()].flat(),
    ...[...tags.values()].flatMap(({ firewallRules }) => firewallRules),
    ...routes.flatMap(({ firewallRules }) => firewallRules),
  ];
  const ofRules = rules.flatMap(({ allowedTags }) => allowedTags ?? []);
  const withContent = [...tags].filter(
    ([, { firewallRules, routeIDs }]) => firewallRules.length > 0 || routeIDs.length > 0,
  );
  return new Set([...ofRules, ...withContent.map(([name]) => name)]);
}

/** Returns what the rules can tell about a host. Routers differ by their routes, so each is a class of its own. */
export function signatureOf(
  network: AccessNetwork,
  relevantTags: ReadonlySet<string>,
  routerIDs: ReadonlySet<string>,
  host: AccessHost | undefined,
): string {
  if (!host) return "";
  if (routerIDs.has(host.id)) return host.id;
  const tags = host.tags.filter((tag) => relevantTags.has(tag)).toSorted();
  const problem = findProblem(network, host)?.kind ?? "";
  // No role, tag or version contains a line break.
  return [host.roleID ?? "", problem, host.nebulaVersion ?? "", ...tags].join("\n");
}

export function viewClasses(network: AccessNetwork, hosts: readonly (AccessHost | undefined)[]): ClassView {
  const connected = noBits(hosts.length);
  const byRole = new Map<string, Bits>();
  const byTag = new Map<string, Bits>();
  const add = (sets: Map<string, Bits>, key: string, position: number) => {
    const bits = sets.get(key) ?? noBits(hosts.length);
    addBit(bits, position);
    sets.set(key, bits);
  };
  for (const [position, host] of hosts.entries()) {
    if (!host || findProblem(network, host)) continue;
    addBit(connected, position);
    if (host.roleID !== null) add(byRole, host.roleID, position);
    for (const tag of host.tags) add(byTag, tag, position);
  }
  return { network, hosts, connected, byRole, byTag };
}

/** The classes whose hosts a rule allows. */
export function findPeers(view: ClassView, { allowedRoleID, allowedTags }: FirewallRule): Bits {
  const none = noBits(view.hosts.length);
  const sets = [
    ...(allowedRoleID ? [view.byRole.get(allowedRoleID) ?? none] : []),
    ...(allowedTags ?? []).map((tag) => view.byTag.get(tag) ?? none),
  ];
  return sets.reduce(intersectBits, view.connected);
}
