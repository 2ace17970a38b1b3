// Compiles the console's inbound rules to Nebula's. Nebula's rules are unordered, so they are sorted and deduplicated. A
// rule must never allow more than intended: if a version of Nebula would widen it, the rule is reported, and omitted
// unless the caller accepts that.

import { FormatError } from "./format-error.ts";
import { formatIpPrefix, ipPrefixContains, isIpv4, maskIpPrefix, parseIpPrefix } from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";
import { PORT_MAX } from "./ports.ts";
import { nebulaCapabilities } from "./versions.ts";

export interface FirewallRule {
  readonly protocol: "ANY" | "TCP" | "UDP" | "ICMP";
  /** Missing means all ports. Ignored for ICMP. */
  readonly portRange?: { readonly from: number; readonly to: number } | null | undefined;
  /** Missing means any role. A source host must have the role and all of the tags. */
  readonly allowedRoleID?: string | null | undefined;
  readonly allowedTags?: readonly string[] | null | undefined;
}

export interface RouteFirewallRule extends FirewallRule {
  /** Limits the rule to a part of the route's subnets; missing or 0.0.0.0/0 means all of them. */
  readonly localCIDR?: string | null | undefined;
}

/** Subnets; `install` adds the route to each subscriber's routing table. */
export type RoutableCIDRs = Readonly<Record<string, { readonly install: boolean }>>;

export interface ServedRoute {
  readonly id: string;
  readonly routableCIDRs: RoutableCIDRs;
  readonly firewallRules: readonly RouteFirewallRule[];
}

export interface FirewallSources {
  readonly roleRules: readonly FirewallRule[];
  readonly tags: readonly { readonly name: string; readonly firewallRules: readonly FirewallRule[] }[];
  readonly routesServed: readonly ServedRoute[];
}

export interface NebulaRule {
  readonly port: string;
  readonly proto: string;
  readonly host?: "any";
  readonly group?: string;
  readonly groups?: readonly string[];
  readonly local_cidr?: string;
}

export interface WiderRule {
  readonly source:
    | { readonly kind: "role" }
    | { readonly kind: "tag"; readonly name: string }
    | { readonly kind: "route"; readonly id: string };
  /** The rule's position in the source. */
  readonly index: number;
  /** What Nebula would allow beyond the rule. */
  readonly opens: "routedNetworks" | "routerAndAllRoutedNetworks";
}

export interface CompiledFirewall {
  readonly rules: readonly NebulaRule[];
  readonly wider: readonly WiderRule[];
}

const ALL_NETWORKS = "0.0.0.0/0";
/** No packet is sent to 0.0.0.0/8. */
const ZERO_NETWORK_LENGTH = 8;

export function roleGroup(roleID: string): string {
  return `role:${roleID}`;
}

export function tagGroup(tag: string): string {
  return `tag:${tag}`;
}

/** The groups in a host's certificate. */
export function certificateGroups(host: {
  roleID?: string | null | undefined;
  tags: readonly string[];
}): string[] {
  const tags = host.tags.map(tagGroup).toSorted();
  const roleID = host.roleID ?? undefined;
  return roleID === undefined ? tags : [roleGroup(roleID), ...tags];
}

/** A rule of a role, tag or route, and what it is compiled to: a route's rule becomes one rule per subnet. */
export interface InboundRule {
  readonly source: WiderRule["source"];
  /** The rule's position in the source. */
  readonly index: number;
  readonly rule: FirewallRule | RouteFirewallRule;
  readonly compiled: readonly NebulaRule[];
}

export type FirewallInput = FirewallSources & {
  readonly nebulaVersion: string | undefined;
  readonly acceptWider?: boolean | undefined;
};

/** The rules that a host gets, each with its origin. */
export function compileInboundRules(options: FirewallInput): {
  rules: readonly InboundRule[];
  wider: readonly WiderRule[];
} {
  const capabilities = nebulaCapabilities(options.nebulaVersion);
  const isRouter = options.routesServed.some((route) => Object.keys(route.routableCIDRs).length > 0);
  const isWider = isRouter && !capabilities.localCidr;
  const hostRules: InboundRule[] = [
    ...options.roleRules.map((rule, index) => ({
      source: { kind: "role" } as const,
      index,
      rule,
      compiled: [compileRule(rule)],
    })),
    ...options.tags.flatMap(({ name, firewallRules }) =>
      firewallRules.map((rule, index) => ({
        source: { kind: "tag", name } as const,
        index,
        rule,
        compiled: [compileRule(rule)],
      })),
    ),
  ];
  const routeRules: InboundRule[] = options.routesServed.flatMap((route) =>
    route.firewallRules.map((rule, index) => ({
      source: { kind: "route", id: route.id } as const,
      index,
      rule,
      compiled: compileRouteRule(rule, route, capabilities),
    })),
  );
  const wider: WiderRule[] = isWider
    ? [
        ...hostRules.map(({ index, source }) => ({ source, index, opens: "routedNetworks" as const })),
        ...routeRules
          .filter(({ compiled }) => compiled.length > 0)
          .map(({ index, source }) => ({ source, index, opens: "routerAndAllRoutedNetworks" as const })),
      ]
    : [];
  return { rules: isWider && !options.acceptWider ? [] : [...hostRules, ...routeRules], wider };
}

export function compileFirewall(options: FirewallInput): CompiledFirewall {
  const { rules, wider } = compileInboundRules(options);
  return { rules: distinct(rules.flatMap(({ compiled }) => compiled)), wider };
}

function compileRule(rule: FirewallRule): NebulaRule {
  return { port: compilePort(rule), proto: rule.protocol.toLowerCase(), ...compilePeers(rule) };
}

function compileRouteRule(
  rule: RouteFirewallRule,
  route: ServedRoute,
  capabilities: { localCidr: boolean; localCidrWithZeroAddress: boolean },
): NebulaRule[] {
  const compiled = compileRule(rule);
  const allowed = allowedSubnets(rule, route);
  if (!capabilities.localCidr) return allowed.length > 0 ? [compiled] : [];
  const subnets = capabilities.localCidrWithZeroAddress ? allowed : allowed.flatMap(withoutZeroNetwork);
  return subnets.map((network) => ({ ...compiled, local_cidr: formatIpPrefix(network) }));
}

function compilePort({ protocol, portRange }: FirewallRule): string {
  if (protocol === "ICMP" || !portRange) return "any";
  const { from, to } = portRange;
  const isPort = (port: number) => Number.isInteger(port) && port >= 1 && port <= PORT_MAX;
  // Nebula interprets 0 as any port.
  if (!isPort(from) || !isPort(to) || from > to)
    throw new FormatError(`a port range must be within 1 to ${PORT_MAX}`);
  return from === to ? `${from}` : `${from}-${to}`;
}

function compilePeers(rule: FirewallRule): Pick<NebulaRule, "host" | "group" | "groups"> {
  const tags = distinctTexts((rule.allowedTags ?? []).map(tagGroup));
  const roleID = rule.allowedRoleID ?? undefined;
  if (tags.length === 0) return roleID === undefined ? { host: "any" } : { group: roleGroup(roleID) };
  return { groups: roleID === undefined ? tags : [roleGroup(roleID), ...tags] };
}

/** The intersection of the rule's localCIDR with the route's subnets. */
function allowedSubnets(rule: RouteFirewallRule, route: ServedRoute): IpPrefix[] {
  const routable = Object.keys(route.routableCIDRs).map(readNetwork);
  const localCIDR = rule.localCIDR ?? ALL_NETWORKS;
  if (localCIDR === ALL_NETWORKS) return routable;
  const limit = readNetwork(localCIDR);
  if (routable.some((subnet) => ipPrefixContains(subnet, limit))) return [limit];
  return routable.filter((subnet) => ipPrefixContains(limit, subnet));
}

function readNetwork(text: string): IpPrefix {
  const prefix = parseIpPrefix(text);
  if (prefix === undefined) throw new FormatError("a routed subnet must be a valid CIDR");
  return maskIpPrefix(prefix);
}

/** Splits 0.0.0.0/0 into 128.0.0.0/1, 64.0.0.0/2 … 1.0.0.0/8. */
function withoutZeroNetwork(network: IpPrefix): IpPrefix[] {
  const [first = 0] = network.address;
  if (!isIpv4(network.address) || first !== 0) return [network];
  const halves: IpPrefix[] = [];
  for (let length = network.prefixLength + 1; length <= ZERO_NETWORK_LENGTH; length += 1) {
    halves.push({ address: Uint8Array.of(1 << (8 - length), 0, 0, 0), prefixLength: length });
  }
  return halves;
}

function distinct(rules: readonly NebulaRule[]): NebulaRule[] {
  const byText = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return [...byText.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);
}

function distinctTexts(texts: readonly string[]): string[] {
  return [...new Set(texts)].toSorted();
}
