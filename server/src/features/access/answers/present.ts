/** Values of the access engine in the form of the API. */
import type {
  AccessGroup,
  AccessHostReference,
  AccessRule,
  AccessTraffic,
  Counterexample,
  FailedAccessCheck,
} from "@lightkeeper/contract";
import { PORT_MAX } from "@lightkeeper/contract/limits";
import type { InboundRule } from "@lightkeeper/nebula";
import {
  type AccessHost,
  type FailedCheck,
  findProblem,
  indexNetwork,
  type Region,
  type SmallestRule,
  type TrafficRange,
  type Violation,
} from "@lightkeeper/nebula/access";

import type { LoadedNetwork } from "./loaded-network.ts";
import { isWholeRange, LATER_FRAGMENTS } from "./traffic.ts";

const GROUP_HOSTS_MAX = 10;

export function presentTraffic(ranges: readonly TrafficRange[]): AccessTraffic[] {
  return ranges.flatMap((range): AccessTraffic[] => {
    const { protocol, from, to } = range;
    if (protocol === "ICMP" || protocol === "OTHER" || isWholeRange(range))
      return [{ protocol, portRange: null }];
    const ports = { from: Math.max(from, 1), to: Math.min(to, PORT_MAX) };
    return [
      ...(ports.from <= ports.to ? [{ protocol, portRange: ports }] : []),
      ...(to >= LATER_FRAGMENTS ? [{ protocol, portRange: null, fragmentsOnly: true } as const] : []),
    ];
  });
}

export const presentHost = ({ id, name, addresses }: AccessHost): AccessHostReference => ({
  id,
  name,
  ipAddress: addresses[0] ?? "",
});

/** `localeCompare` would create a collator for every comparison. */
const collator = new Intl.Collator("en", { numeric: true });

export const compareNames = (a: { name: string; id: string }, b: { name: string; id: string }): number =>
  collator.compare(a.name, b.name) || (a.id < b.id ? -1 : 1);

export interface HostGroup {
  readonly roleID: string | null;
  readonly tags: readonly string[];
  readonly hosts: readonly AccessHost[];
}

export const presentRole = ({ roleNames }: LoadedNetwork, roleID: string | null): AccessGroup["role"] =>
  roleID === null ? null : { id: roleID, name: roleNames.get(roleID) ?? roleID };

/** Hosts that can connect come first: a blocked one wouldn't show what the rules of the group allow. */
export function presentGroup(loaded: LoadedNetwork, { roleID, tags, hosts }: HostGroup): AccessGroup {
  const isConnected = (host: AccessHost) => !findProblem(loaded.network, host);
  const compareExamples = (a: AccessHost, b: AccessHost) =>
    Number(isConnected(b)) - Number(isConnected(a)) || compareNames(a, b);
  return {
    role: presentRole(loaded, roleID),
    tags: [...tags],
    hostCount: hosts.length,
    hosts: listFirst(hosts, GROUP_HOSTS_MAX, compareExamples).map(presentHost),
  };
}

/** Like sorting all of them, which takes long for a large group. */
function listFirst<T>(items: readonly T[], count: number, compare: (a: T, b: T) => number): T[] {
  const first: T[] = [];
  for (const item of items) {
    const position = first.findLastIndex((other) => compare(other, item) <= 0) + 1;
    if (position === count) continue;
    first.splice(position, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}

export const presentSubnet = ({ cidr, except }: Pick<Region, "cidr" | "except">) => ({
  cidr,
  except: [...except],
});

type RuleSource = AccessRule["source"];

/** A rule of a role doesn't name the role, but is the same object as in the network. */
function findRoleOfRule({ network }: LoadedNetwork, { rule, index }: InboundRule): string {
  const [id = ""] = [...network.roles].find(([, rules]) => rules[index] === rule) ?? [];
  return id;
}

function presentRuleSource(
  loaded: LoadedNetwork,
  rule: InboundRule,
  host: AccessHost | undefined,
): RuleSource {
  const { source } = rule;
  if (source.kind === "tag") return { type: "tag", id: source.name, name: source.name };
  if (source.kind === "route")
    return { type: "route", id: source.id, name: loaded.routeNames.get(source.id) ?? source.id };
  const id = host?.roleID ?? findRoleOfRule(loaded, rule);
  return { type: "role", id, name: loaded.roleNames.get(id) ?? id };
}

export function presentRuleContent(
  rule: InboundRule["rule"] & { description?: string | undefined },
): AccessRule["rule"] {
  const { protocol, portRange, allowedRoleID, allowedTags, description } = rule;
  return {
    protocol,
    portRange: portRange ? { from: portRange.from, to: portRange.to } : null,
    allowedRoleID: allowedRoleID ?? null,
    ...(allowedTags && { allowedTags: [...allowedTags] }),
    ...("localCIDR" in rule && typeof rule.localCIDR === "string" && { localCIDR: rule.localCIDR }),
    ...(description !== undefined && { description }),
  };
}

/** The host is the one whose rules decide; without a host, the rule's role is searched. */
export const presentRule = (loaded: LoadedNetwork, rule: InboundRule, host?: AccessHost): AccessRule => ({
  source: presentRuleSource(loaded, rule, host),
  index: rule.index,
  rule: presentRuleContent(rule.rule),
});

export function presentSmallestRule(
  loaded: LoadedNetwork,
  { target, rule, sources, destinations }: SmallestRule,
) {
  const nameOf = (id: string) =>
    (target.kind === "role" ? loaded.roleNames : loaded.routeNames).get(id) ?? id;
  const id = target.kind === "tag" ? target.name : target.id;
  return {
    target: { type: target.kind, id, name: target.kind === "tag" ? id : nameOf(id) },
    rule: presentRuleContent(rule),
    sourceCount: sources,
    destinationCount: destinations,
  };
}

export function presentFailedCheck({ network }: LoadedNetwork, failed: FailedCheck): FailedAccessCheck {
  const host = "hostID" in failed ? indexNetwork(network).byID.get(failed.hostID) : undefined;
  return { kind: failed.kind, host: host ? presentHost(host) : null };
}

export function presentCounterexample(
  loaded: LoadedNetwork,
  { source, destination, address, traffic, rule }: Violation,
): Counterexample {
  const [presented = { protocol: traffic.protocol, portRange: null }] = presentTraffic([traffic]);
  return {
    source: presentHost(source),
    destination: { host: destination ? presentHost(destination) : null, address },
    traffic: presented,
    rule: rule ? presentRule(loaded, rule, destination) : null,
  };
}
