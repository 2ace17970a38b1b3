// Hosts that no rule can tell apart are one class. The engine works on classes: thousands of hosts are usually a few
// dozen of them.

import type { FirewallRule } from "../firewall.ts";
import { addBit, intersectBits, noBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findProblem } from "./verdict.ts";

/** A network, seen class by class. A class may be a single host. */
export interface ClassView {
  readonly network: AccessNetwork;
  /** How many positions there are, also those without a host. */
  readonly size: number;
  /** One host of the class; undefined for hosts that don't exist in this network. */
  readonly hostAt: (position: number) => AccessHost | undefined;
  /** Whether the host can have tunnels. */
  readonly isConnected: (host: AccessHost) => boolean;
  /** The classes whose hosts can have tunnels. */
  readonly connected: Bits;
  readonly byRole: { get(roleID: string): Bits | undefined };
  readonly byTag: { get(tag: string): Bits | undefined };
  /** The classes whose hosts a rule allows, as far as they are known already; by the rule's role and tags. */
  readonly peers: Map<string, Bits>;
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

export function viewClasses(
  network: AccessNetwork,
  hosts: readonly (AccessHost | undefined)[],
  isConnected = (host: AccessHost) => !findProblem(network, host),
): ClassView {
  const connected = noBits(hosts.length);
  const byRole = new Map<string, Bits>();
  const byTag = new Map<string, Bits>();
  const add = (sets: Map<string, Bits>, key: string, position: number) => {
    const bits = sets.get(key) ?? noBits(hosts.length);
    addBit(bits, position);
    sets.set(key, bits);
  };
  for (const [position, host] of hosts.entries()) {
    if (!host) continue;
    if (isConnected(host)) addBit(connected, position);
    if (host.roleID !== null) add(byRole, host.roleID, position);
    for (const tag of host.tags) add(byTag, tag, position);
  }
  const hostAt = (position: number) => hosts[position];
  return { network, size: hosts.length, hostAt, isConnected, connected, byRole, byTag, peers: new Map() };
}

/** The classes whose hosts a rule allows. Rules with the same role and tags get the same set. */
export function findPeers(view: ClassView, rule: FirewallRule): Bits {
  const key = peersKey(rule);
  const known = view.peers.get(key);
  if (known) return known;
  const sets = [
    ...(rule.allowedRoleID ? [view.byRole.get(rule.allowedRoleID)] : []),
    ...(rule.allowedTags ?? []).map((tag) => view.byTag.get(tag)),
  ];
  const peers = sets.reduce<Bits>(
    (bits, set) => (set ? intersectBits(bits, set) : noBits(view.size)),
    view.connected,
  );
  view.peers.set(key, peers);
  return peers;
}

const keysOfRules = new WeakMap<FirewallRule, string>();

function peersKey(rule: FirewallRule): string {
  const known = keysOfRules.get(rule);
  if (known !== undefined) return known;
  const { allowedRoleID, allowedTags } = rule;
  const key = [allowedRoleID || "", ...(allowedTags ? [...allowedTags].toSorted() : [])].join("\n");
  keysOfRules.set(rule, key);
  return key;
}
