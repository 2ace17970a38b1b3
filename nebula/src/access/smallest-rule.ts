// The rule that would allow a denied connection and as little else as possible.

import type { RouteFirewallRule } from "../firewall.ts";
import { ipPrefixContains } from "../ip-prefixes.ts";
import { readHostFirewall, readPrefix } from "./host-firewall.ts";
import type { AccessHost, AccessNetwork, Flow, Traffic } from "./network.ts";

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

type Peers = Pick<RouteFirewallRule, "allowedRoleID" | "allowedTags">;

/** Undefined if there is nowhere to add a rule: the host has no role and no tags. */
export function findSmallestRule(
  network: AccessNetwork,
  { source, destination, traffic }: Flow,
  host: AccessHost,
): SmallestRule | undefined {
  const target = findTarget(network, destination, host);
  if (!target) return undefined;
  const peers = findSmallestPeers(network.hosts, source);
  const rule: RouteFirewallRule = {
    ...smallestTraffic(traffic),
    ...peers,
    ...(target.kind === "route" && { localCIDR: `${destination}/32` }),
  };
  return {
    target,
    rule,
    sources: countPeers(network.hosts, peers),
    destinations: network.hosts.filter((each) => isTarget(each, target, host)).length,
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
  if (destination !== host.address) {
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
  const size = (target: SmallestRule["target"]) =>
    network.hosts.filter((each) => isTarget(each, target, host)).length;
  // A role comes first if both have as many hosts.
  return targets.toSorted((a, b) => size(a) - size(b))[0];
}

function isTarget(each: AccessHost, target: SmallestRule["target"], host: AccessHost): boolean {
  if (target.kind === "role") return each.roleID === target.id;
  if (target.kind === "tag") return each.tags.includes(target.name);
  return each.id === host.id;
}

const isPeer = (host: AccessHost, { allowedRoleID, allowedTags }: Peers) =>
  (!allowedRoleID || host.roleID === allowedRoleID) &&
  (allowedTags ?? []).every((tag) => host.tags.includes(tag));

const countPeers = (hosts: readonly AccessHost[], peers: Peers) =>
  hosts.filter((host) => isPeer(host, peers)).length;

/** The fewest hosts that a rule can tell apart, with as few tags as possible. */
function findSmallestPeers(hosts: readonly AccessHost[], source: AccessHost): Peers {
  const all = { allowedRoleID: source.roleID, allowedTags: [...source.tags].toSorted() };
  const fewest = hosts.filter((host) => isPeer(host, all));
  const isFewest = (peers: Peers) => countPeers(hosts, peers) === fewest.length;
  let peers: typeof all = all;
  for (const tag of all.allowedTags) {
    const without = { ...peers, allowedTags: peers.allowedTags.filter((each) => each !== tag) };
    if (isFewest(without)) peers = without;
  }
  return peers;
}
