// The firewall that Nebula runs on a host, and whether one of its rules allows a packet. The rules are compared as
// Nebula compares them, after compilation, so that a mistake of the compiler isn't repeated here.

import { certificateGroups, compileInboundRules } from "../firewall.ts";
import type { InboundRule, NebulaRule } from "../firewall.ts";
import { ipPrefixContains, parseIpPrefix } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { selectServedRoutes } from "../served-routes.ts";
import { nebulaCapabilities } from "../versions.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork, AccessRoute, Traffic } from "./network.ts";

export interface HostFirewall {
  readonly rules: readonly InboundRule[];
  readonly routesServed: readonly AccessRoute[];
  /** The subnets in the host's certificate. */
  readonly subnets: readonly IpPrefix[];
  /** Whether rules without a subnet apply to the host only, even if it is a router. */
  readonly rulesKeepToHost: boolean;
}

const firewallsOf = new WeakMap<AccessNetwork, Map<AccessHost, HostFirewall>>();

/** Networks and hosts don't change, so each firewall is built once. */
export function readHostFirewall(network: AccessNetwork, host: AccessHost): HostFirewall {
  const known = firewallsOf.get(network) ?? new Map<AccessHost, HostFirewall>();
  firewallsOf.set(network, known);
  const firewall = known.get(host) ?? buildHostFirewall(network, host);
  known.set(host, firewall);
  return firewall;
}

function buildHostFirewall(network: AccessNetwork, host: AccessHost): HostFirewall {
  const sources = {
    nebulaVersion: host.nebulaVersion,
    roleRules: (host.roleID !== null && network.roles.get(host.roleID)) || [],
    tags: host.tags.flatMap((name) => {
      const tag = network.tags.get(name);
      return tag ? [{ name, firewallRules: tag.firewallRules }] : [];
    }),
  };
  const routes = indexNetwork(network).routesByRouterID.get(host.id) ?? [];
  const { served, acceptWider } = selectServedRoutes(sources, routes);
  const { rules } = compileInboundRules({ ...sources, routesServed: served, acceptWider });
  const cidrs = new Set(served.flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs)));
  return {
    rules,
    routesServed: served,
    subnets: [...cidrs].map(readPrefix),
    rulesKeepToHost: nebulaCapabilities(host.nebulaVersion).localCidr,
  };
}

export function readPrefix(text: string): IpPrefix {
  const prefix = parseIpPrefix(text.includes("/") ? text : `${text}/32`);
  if (prefix === undefined) throw new RangeError(`${text} is not a network`);
  return prefix;
}

/** The host's own address, or one in a subnet behind it. */
export interface LocalAddress {
  readonly address: IpPrefix;
  readonly isOwn: boolean;
}

/** The host's rules that allow the traffic from the peer to the address. */
export function findMatchingRules(
  firewall: HostFirewall,
  peer: AccessHost,
  traffic: Traffic,
  local: LocalAddress,
): InboundRule[] {
  const groups = new Set(certificateGroups(peer));
  return firewall.rules.filter(({ compiled }) =>
    compiled.some(
      (rule) =>
        matchesTraffic(rule, traffic) && matchesPeer(rule, groups) && appliesTo(rule, firewall, local),
    ),
  );
}

function matchesTraffic(rule: NebulaRule, { protocol, port, isFragment }: Traffic): boolean {
  if (rule.proto !== "any" && rule.proto !== protocol.toLowerCase()) return false;
  if (rule.port === "any") return true;
  if (isFragment || port === undefined || protocol === "ICMP" || protocol === "OTHER") return false;
  const [from = 0, to = from] = rule.port.split("-").map(Number);
  return port >= from && port <= to;
}

function matchesPeer(rule: NebulaRule, groups: ReadonlySet<string>): boolean {
  if (rule.host === "any") return true;
  if (rule.group !== undefined) return groups.has(rule.group);
  return (rule.groups ?? []).every((group) => groups.has(group));
}

/** The subnet of a rule may contain the router's own address: a route to all addresses does. */
export function appliesTo(
  rule: NebulaRule,
  { rulesKeepToHost, subnets }: HostFirewall,
  { address, isOwn }: LocalAddress,
): boolean {
  if (rule.local_cidr !== undefined) return ipPrefixContains(readPrefix(rule.local_cidr), address);
  return isOwn || subnets.length === 0 || !rulesKeepToHost;
}
