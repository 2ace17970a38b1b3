// The same answer as `verdict`, written a second time from the documentation and without regard for speed. Only tests
// use it: two implementations that share nothing rarely make the same mistake.

import { formatIp, parseIp } from "../src/ip-prefixes.ts";
import { compareNebulaVersions } from "../src/versions.ts";
import type { FirewallRule, RouteFirewallRule } from "../src/firewall.ts";
import type { AccessHost, AccessNetwork, Flow, Traffic } from "../src/access/network.ts";

export function naiveVerdict(network: AccessNetwork, flow: Flow): boolean {
  const { source, destination } = flow;
  const canConnect = (host: AccessHost) =>
    !host.isBlocked &&
    host.certificate !== undefined &&
    host.certificate.expiresAt > network.now &&
    network.trustedCaIDs.has(host.certificate.caID);
  if (!canConnect(source)) return false;
  if (!hasFamily(source, destination)) return false;
  if (network.cidrs.some((cidr) => isIn(cidr, destination))) {
    const host = network.hosts.find(({ addresses }) => addresses.includes(destination));
    return host !== undefined && host !== source && canConnect(host) && allows(network, flow, host);
  }
  const routers = findRouters(network, source, destination);
  return (
    routers.length > 0 &&
    routers.every((router) => router !== source && canConnect(router) && allows(network, flow, router))
  );
}

const isAtLeast = (host: AccessHost, version: string) =>
  host.nebulaVersion === undefined || compareNebulaVersions(host.nebulaVersion, version)! >= 0;

const isIpv6 = (text: string) => text.includes(":");
const hasFamily = ({ addresses }: AccessHost, text: string) =>
  addresses.some((address) => isIpv6(address) === isIpv6(text));

const gatewayOf = (source: AccessHost, router: AccessHost) =>
  router.addresses.find((address) => hasFamily(source, address));

/** By text: the bits of an address, of which the first ones are compared. */
const bitsOf = (address: string) =>
  [...parseIp(address)!].map((byte) => byte.toString(2).padStart(8, "0")).join("");
const isIn = (cidr: string, address: string) => {
  const [network, length] = cidr.split("/");
  if (isIpv6(network!) !== isIpv6(address)) return false;
  return bitsOf(address).startsWith(bitsOf(network!).slice(0, Number(length)));
};

function servedRoutes(network: AccessNetwork, host: AccessHost) {
  const routes = network.routes.filter(({ routerHostID }) => routerHostID === host.id);
  const isSafe =
    isAtLeast(host, "1.9.0") ||
    routes.every(
      ({ acceptWiderRules, routableCIDRs }) => acceptWiderRules || Object.keys(routableCIDRs).length === 0,
    ) ||
    !hasRules(network, host, routes);
  return isSafe ? routes : [];
}

/** Without any rule there is nothing that Nebula could apply too widely. */
function hasRules(network: AccessNetwork, host: AccessHost, routes: AccessNetwork["routes"]): boolean {
  const applicable = routes.filter(({ routableCIDRs, firewallRules }) =>
    firewallRules.some((rule) => allowedSubnets(rule, Object.keys(routableCIDRs)).length > 0),
  );
  return hostRules(network, host).length > 0 || applicable.length > 0;
}

function hostRules(network: AccessNetwork, host: AccessHost): FirewallRule[] {
  const ofRole = host.roleID === null ? [] : (network.roles.get(host.roleID) ?? []);
  return [...ofRole, ...host.tags.flatMap((tag) => network.tags.get(tag)?.firewallRules ?? [])];
}

function allowedSubnets({ localCIDR }: RouteFirewallRule, subnets: string[]): string[] {
  const limit = localCIDR ?? "0.0.0.0/0";
  if (limit === "0.0.0.0/0") return subnets;
  const isWithin = (inner: string, outer: string) =>
    Number(inner.split("/")[1]) >= Number(outer.split("/")[1]) && isIn(outer, inner.split("/")[0]!);
  return subnets.flatMap((subnet) => {
    if (isWithin(subnet, limit)) return [subnet];
    return isWithin(limit, subnet) ? [limit] : [];
  });
}

function allows(network: AccessNetwork, { source, destination, traffic }: Flow, host: AccessHost): boolean {
  const routes = servedRoutes(network, host);
  const isOwn = host.addresses.includes(destination);
  const subnets = routes
    .flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs))
    .filter((subnet) => hasFamily(host, subnet));
  if (!isOwn && !subnets.some((subnet) => isIn(subnet, destination))) return false;
  const isNarrow = isAtLeast(host, "1.9.0");
  const matches = (rule: FirewallRule) => matchesPeer(rule, source) && matchesTraffic(rule, traffic);
  if ((isOwn || !isNarrow) && hostRules(network, host).some(matches)) return true;
  return routes.some(({ firewallRules, routableCIDRs }) =>
    firewallRules.some((rule) => {
      const allowed = allowedSubnets(rule, Object.keys(routableCIDRs));
      const isDestination = isNarrow
        ? allowed.some((subnet) => isIn(subnet, destination) && !isBeforeFirst(host, subnet, destination))
        : allowed.length > 0;
      return isDestination && matches(rule);
    }),
  );
}

/** Before Nebula 1.10, a rule for all addresses omits 0.0.0.0/8, to which no packet is sent. */
const isBeforeFirst = (host: AccessHost, subnet: string, destination: string) =>
  !isAtLeast(host, "1.10.0") && subnet.startsWith("0.") && destination.startsWith("0.");

const matchesPeer = ({ allowedRoleID, allowedTags }: FirewallRule, source: AccessHost) =>
  (!allowedRoleID || allowedRoleID === source.roleID) &&
  (allowedTags ?? []).every((tag) => source.tags.includes(tag));

function matchesTraffic(rule: FirewallRule, { protocol, port, isFragment }: Traffic): boolean {
  if (rule.protocol === "ICMP") return protocol === "ICMP";
  if (rule.protocol !== "ANY" && rule.protocol !== protocol) return false;
  if (!rule.portRange) return true;
  const hasPort = (protocol === "TCP" || protocol === "UDP") && !isFragment && port !== undefined;
  return hasPort && port >= rule.portRange.from && port <= rule.portRange.to;
}

function findRouters(network: AccessNetwork, source: AccessHost, destination: string): AccessHost[] {
  const used = new Set(source.tags.flatMap((tag) => network.tags.get(tag)?.routeIDs ?? []));
  const normal = (cidr: string) => {
    const length = Number(cidr.split("/")[1]);
    const all = bitsOf(cidr.split("/")[0]!);
    const bits = all.slice(0, length).padEnd(all.length, "0");
    return `${formatIp(Uint8Array.from(bits.match(/.{8}/g)!, (byte) => parseInt(byte, 2)))}/${length}`;
  };
  const own = new Set(
    network.routes
      .filter(({ routerHostID }) => routerHostID === source.id)
      .flatMap(({ routableCIDRs }) => Object.keys(routableCIDRs).map(normal)),
  );
  const subnets = network.routes
    .filter(({ id }) => used.has(id))
    .flatMap(({ routableCIDRs, routerHostID }) =>
      Object.entries(routableCIDRs).map(([cidr, { install }]) => ({
        cidr: normal(cidr),
        router: network.hosts.find(({ id }) => id === routerHostID)!,
        install,
      })),
    );
  const usable = subnets
    .filter(({ cidr }) => isIn(cidr, destination) && !own.has(cidr))
    .filter(({ router }) => gatewayOf(source, router) !== undefined)
    .filter(
      ({ cidr }) =>
        isAtLeast(source, "1.7.0") || subnets.some((other) => other.cidr === cidr && other.install),
    );
  const longest = Math.max(...usable.map(({ cidr }) => Number(cidr.split("/")[1])));
  const routers = usable
    .filter(({ cidr }) => Number(cidr.split("/")[1]) === longest)
    .map(({ router }) => router)
    .toSorted((a, b) => (gatewayOf(source, a)! < gatewayOf(source, b)! ? -1 : 1));
  return isAtLeast(source, "1.10.0") ? routers : routers.slice(0, 1);
}
