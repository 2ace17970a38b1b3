// The firewall that Nebula runs on a host, and whether one of its rules allows a packet. The rules are compared as
// Nebula compares them, after compilation, so that a mistake of the compiler isn't repeated here.

import { certificateGroups, compileInboundRules } from "../firewall.ts";
import type { FirewallRule, InboundRule, NebulaRule } from "../firewall.ts";
import { ipPrefixContains, isIpv6Text, parseIpPrefix } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { selectServedRoutes } from "../served-routes.ts";
import { nebulaCapabilities } from "../versions.ts";
import { familiesOf, familyOf, familyOfPrefix } from "./families.ts";
import type { Families } from "./families.ts";
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

const NO_RULES: readonly FirewallRule[] = [];
const routerFirewalls = new WeakMap<AccessNetwork, Map<AccessHost, HostFirewall>>();

export function readHostFirewall(network: AccessNetwork, host: AccessHost): HostFirewall {
  const routes = indexNetwork(network).routesByRouterID.get(host.id);
  if (!routes) return buildHostFirewall(network, host);
  // Networks and hosts don't change, so each firewall of a router is built once.
  const known = routerFirewalls.get(network) ?? new Map<AccessHost, HostFirewall>();
  routerFirewalls.set(network, known);
  const firewall = known.get(host) ?? buildRouterFirewall(network, host, routes);
  known.set(host, firewall);
  return firewall;
}

/** Without routes, the rules of a role and of each tag are compiled independently of the host. */
function buildHostFirewall(network: AccessNetwork, host: AccessHost): HostFirewall {
  const ofRole = compileRoleRules((host.roleID !== null && network.roles.get(host.roleID)) || NO_RULES);
  const ofTags = host.tags.flatMap((name) => {
    const rules = network.tags.get(name)?.firewallRules ?? NO_RULES;
    return rules.length === 0 ? [] : compileTagRules(name, rules);
  });
  return {
    rules: ofTags.length === 0 ? ofRole : [...ofRole, ...ofTags],
    routesServed: [],
    subnets: [],
    rulesKeepToHost: nebulaCapabilities(host.nebulaVersion).localCidr,
  };
}

const compiledRoleRules = new WeakMap<readonly FirewallRule[], readonly InboundRule[]>();
const compiledTagRules = new WeakMap<readonly FirewallRule[], Map<string, readonly InboundRule[]>>();

function compileRoleRules(roleRules: readonly FirewallRule[]): readonly InboundRule[] {
  const known = compiledRoleRules.get(roleRules);
  if (known) return known;
  const { rules } = compileInboundRules({ nebulaVersion: undefined, roleRules, tags: [], routesServed: [] });
  compiledRoleRules.set(roleRules, rules);
  return rules;
}

/** Several tags may have the same list, such as an empty one. */
function compileTagRules(name: string, firewallRules: readonly FirewallRule[]): readonly InboundRule[] {
  const byName = compiledTagRules.get(firewallRules) ?? new Map<string, readonly InboundRule[]>();
  compiledTagRules.set(firewallRules, byName);
  const known = byName.get(name);
  if (known) return known;
  const tags = [{ name, firewallRules }];
  const { rules } = compileInboundRules({ nebulaVersion: undefined, roleRules: [], tags, routesServed: [] });
  byName.set(name, rules);
  return rules;
}

function buildRouterFirewall(
  network: AccessNetwork,
  host: AccessHost,
  routes: readonly AccessRoute[],
): HostFirewall {
  const sources = {
    nebulaVersion: host.nebulaVersion,
    roleRules: (host.roleID !== null && network.roles.get(host.roleID)) || [],
    tags: host.tags.flatMap((name) => {
      const tag = network.tags.get(name);
      return tag ? [{ name, firewallRules: tag.firewallRules }] : [];
    }),
  };
  const { served, acceptWider } = selectServedRoutes(sources, routes);
  const { rules } = compileInboundRules({ ...sources, routesServed: served, acceptWider });
  // A certificate can't have subnets of a family in which the host has no address.
  const families = familiesOf(host);
  const cidrs = new Set(served.flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs)));
  return {
    rules,
    routesServed: served,
    subnets: [...cidrs].map(readPrefix).filter((subnet) => (familyOfPrefix(subnet) & families) !== 0),
    rulesKeepToHost: nebulaCapabilities(host.nebulaVersion).localCidr,
  };
}

/** The CIDR that contains only the address. */
export const toHostCidr = (address: string): string => `${address}/${isIpv6Text(address) ? 128 : 32}`;

/** The same few networks and addresses are read again and again. */
const PREFIXES_MAX = 10_000;
const prefixes = new Map<string, IpPrefix>();

export function readPrefix(text: string): IpPrefix {
  const known = prefixes.get(text);
  if (known) return known;
  const prefix = parseIpPrefix(text.includes("/") ? text : toHostCidr(text));
  if (prefix === undefined) throw new RangeError(`${text} is not a network`);
  if (prefixes.size >= PREFIXES_MAX) prefixes.clear();
  prefixes.set(text, prefix);
  return prefix;
}

export const isOverlayAddress = ({ cidrs }: AccessNetwork, address: IpPrefix): boolean =>
  cidrs.some((cidr) => ipPrefixContains(readPrefix(cidr), address));

/** One of the host's own addresses, or one in a subnet behind it. */
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

/** The families of the host's own addresses to which a rule applies. */
export function findOwnFamilies(
  firewall: HostFirewall,
  host: AccessHost,
  { compiled }: InboundRule,
): Families {
  let families = 0;
  for (const address of host.addresses) {
    const local = { address: readPrefix(address), isOwn: true };
    if (compiled.some((rule) => appliesTo(rule, firewall, local))) families |= familyOf(address);
  }
  return families;
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
