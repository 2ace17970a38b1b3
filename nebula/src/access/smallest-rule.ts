// The rule that would allow a denied connection and as little else as possible.

import type { RouteFirewallRule } from "../firewall.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
import { readHostFirewall, readPrefix, toHostCidr } from "./host-firewall.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork, Flow, Traffic } from "./network.ts";
import { countPeers } from "./peers.ts";
import type { Peers } from "./peers.ts";

export interface SmallestRule {
  /** Where the rule has to be added. */
  readonly target:
    | { readonly kind: "role"; readonly id: string }
    | { readonly kind: "tag"; readonly name: string }
    | { readonly kind: "route"; readonly id: string };
  readonly rule: RouteFirewallRule;
  /** How many hosts the rule allows, and on how many. */
  readonly sources: number;
  readonly destinations: number;
}

/** Undefined if there is nowhere to add a rule: the host has no role and no tags. */
export function findSmallestRule(
  network: AccessNetwork,
  { source, destination, traffic }: Flow,
  host: AccessHost,
): SmallestRule | undefined {
  const target = findTarget(network, destination, host);
  if (!target) return undefined;
  const peers = findSmallestPeers(network, source);
  const rule: RouteFirewallRule = {
    ...smallestTraffic(traffic),
    ...peers,
    ...(target.kind === "route" && { localCIDR: toHostCidr(destination) }),
  };
  return {
    target,
    rule,
    sources: countPeers(network, peers),
    destinations: countTargets(network, target),
  };
}

function smallestTraffic({ protocol, port, isFragment }: Traffic) {
  if (protocol === "OTHER") return { protocol: "ANY", portRange: null } as const;
  const hasPort = protocol !== "ICMP" && !isFragment && port !== undefined;
  return { protocol, portRange: hasPort ? { from: port, to: port } : null };
}

function findTarget(
  network: AccessNetwork,
  destination: string,
  host: AccessHost,
): SmallestRule["target"] | undefined {
  if (!host.addresses.includes(destination)) {
    const address = readPrefix(destination);
    const route = readHostFirewall(network, host).routesServed.find(({ routableCIDRs }) =>
      Object.keys(routableCIDRs).some((cidr) => ipPrefixContains(readPrefix(cidr), address)),
    );
    return route && { kind: "route", id: route.id };
  }
  const targets: SmallestRule["target"][] = [
    ...(host.roleID === null ? [] : [{ kind: "role", id: host.roleID } as const]),
    ...host.tags.filter((name) => network.tags.has(name)).map((name) => ({ kind: "tag", name }) as const),
  ];
  // A role comes first if both have as many hosts.
  return targets.toSorted((a, b) => countTargets(network, a) - countTargets(network, b))[0];
}

function countTargets(network: AccessNetwork, target: SmallestRule["target"]): number {
  const { hostsWithRole, hostsWithTag } = indexNetwork(network);
  if (target.kind === "role") return hostsWithRole(target.id).length;
  return target.kind === "tag" ? hostsWithTag(target.name).length : 1;
}

/** The fewest hosts that a rule can tell apart, with as few tags as possible. */
function findSmallestPeers(network: AccessNetwork, source: AccessHost): Peers {
  const all = { allowedRoleID: source.roleID, allowedTags: [...source.tags].toSorted() };
  const fewest = countPeers(network, all);
  let peers: typeof all = all;
  for (const tag of all.allowedTags) {
    const without = { ...peers, allowedTags: peers.allowedTags.filter((each) => each !== tag) };
    if (countPeers(network, without) === fewest) peers = without;
  }
  return peers;
}
