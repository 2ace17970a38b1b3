// Hosts that no rule can tell apart are one class. The engine works on classes: thousands of hosts are usually a few
// dozen of them.

import type { FirewallRule } from "../firewall.ts";
import { addBit, intersectBits, noBits, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { ALL_FAMILIES, familiesOf, familyOf } from "./families.ts";
import type { Families } from "./families.ts";
import { listFamilySets } from "./host-table.ts";
import { tableOf } from "./network-index.ts";
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
  /** The classes whose hosts have no address of any of the families; undefined if there are none. */
  readonly without: (families: Families) => Bits | undefined;
  /** The classes whose hosts a rule allows, as far as they are known already; by families and the rule's role and tags. */
  readonly peers: Map<string, Bits>;
}

/** Tags that a rule or a route mentions. All others are only labels. */
function findRelevantTags({ roles, tags, routes }: AccessNetwork): Set<string> {
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

/** Families differ only if two hosts have none in common, or if a route leads to a family that not all hosts have. */
function areFamiliesRelevant(network: AccessNetwork): boolean {
  const common = listFamilySets(tableOf(network)).reduce((some, families) => some & families, ALL_FAMILIES);
  if (common === 0) return true;
  const missing = ALL_FAMILIES & ~common;
  return network.routes.some(({ routableCIDRs }) =>
    Object.keys(routableCIDRs).some((cidr) => (familyOf(cidr) & missing) !== 0),
  );
}

/** What tells hosts apart. */
export interface ClassTraits {
  readonly relevantTags: ReadonlySet<string>;
  readonly routerIDs: ReadonlySet<string>;
  readonly areFamiliesRelevant: boolean;
}

export const findTraits = (network: AccessNetwork): ClassTraits => ({
  relevantTags: findRelevantTags(network),
  routerIDs: new Set(network.routes.map(({ routerHostID }) => routerHostID)),
  areFamiliesRelevant: areFamiliesRelevant(network),
});

/** Returns what the rules can tell about a host. Routers differ by their routes, so each is a class of its own. */
export function signatureOf(network: AccessNetwork, traits: ClassTraits, host: AccessHost): string {
  if (traits.routerIDs.has(host.id)) return host.id;
  const tags = host.tags.filter((tag) => traits.relevantTags.has(tag)).toSorted();
  const families = traits.areFamiliesRelevant ? familiesOf(host) : "";
  const problem = findProblem(network, host)?.kind ?? "";
  // No role, tag or version contains a line break.
  return [host.roleID ?? "", problem, host.nebulaVersion ?? "", families, ...tags].join("\n");
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
  return {
    network,
    size: hosts.length,
    hostAt: (position) => hosts[position],
    isConnected,
    connected,
    byRole,
    byTag,
    without: findWithout(hosts),
    peers: new Map(),
  };
}

function findWithout(hosts: readonly (AccessHost | undefined)[]): ClassView["without"] {
  const known = new Map<Families, Bits | undefined>();
  return (families) => {
    if (families === ALL_FAMILIES) return undefined;
    if (known.has(families)) return known.get(families);
    let bits: Bits | undefined;
    for (const [position, host] of hosts.entries())
      if (host && (familiesOf(host) & families) === 0) addBit((bits ??= noBits(hosts.length)), position);
    known.set(families, bits);
    return bits;
  };
}

/**
 * The classes whose hosts a rule allows and that have an address of one of the families. Rules with the same role and
 * tags get the same set.
 */
export function findPeers(view: ClassView, rule: FirewallRule, families: Families): Bits {
  const without = view.without(families);
  if (!without) return findPeersOfAnyFamily(view, rule);
  const key = `${families}\n\n${peersKey(rule)}`;
  const known = view.peers.get(key) ?? subtractBits(findPeersOfAnyFamily(view, rule), without);
  view.peers.set(key, known);
  return known;
}

function findPeersOfAnyFamily(view: ClassView, rule: FirewallRule): Bits {
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
