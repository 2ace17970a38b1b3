/** Who reaches whom, by a naive evaluation of the rules. */
import { contains, isIpv6 } from "./addresses.ts";
import {
  certificateInUse,
  findByID,
  type ModelHost,
  type ModelRoute,
  type ModelRule,
  type Organization,
} from "./state.ts";

export interface Traffic {
  protocol: "TCP" | "UDP" | "ICMP";
  /** Null for ICMP. */
  port: number | null;
}

const matchesTraffic = ({ protocol, portRange }: ModelRule, traffic: Traffic): boolean => {
  if (protocol !== "ANY" && protocol !== traffic.protocol) return false;
  if (protocol === "ICMP" || portRange === null) return true;
  return traffic.port !== null && traffic.port >= portRange.from && traffic.port <= portRange.to;
};

const matchesSource = ({ allowedRoleID, allowedTags = [] }: ModelRule, source: ModelHost): boolean =>
  (allowedRoleID === null || allowedRoleID === source.roleID) &&
  allowedTags.every((tag) => source.tags.includes(tag));

/** The rules of a host for traffic to itself. */
export function rulesOf({ roles, tags }: Organization, host: ModelHost): ModelRule[] {
  const role = findByID(roles, host.roleID ?? "");
  const ofTags = tags.filter(({ name }) => host.tags.includes(name));
  return [...(role?.firewallRules ?? []), ...ofTags.flatMap(({ firewallRules }) => firewallRules)];
}

export const haveCommonFamily = (a: ModelHost, b: ModelHost): boolean =>
  a.addresses.some((address) => b.addresses.some((other) => isIpv6(address) === isIpv6(other)));

/** Whether the rules allow the traffic, no matter whether the hosts are enrolled. */
export const allow = (
  organization: Organization,
  source: ModelHost,
  destination: ModelHost,
  traffic: Traffic,
): boolean =>
  source.id !== destination.id &&
  source.networkID === destination.networkID &&
  haveCommonFamily(source, destination) &&
  rulesOf(organization, destination).some(
    (rule) => matchesTraffic(rule, traffic) && matchesSource(rule, source),
  );

/** Whether a host can have tunnels. */
export function isConnected({ networks }: Organization, host: ModelHost): boolean {
  const caID = certificateInUse(host)?.caID;
  const network = findByID(networks, host.networkID);
  return !host.isBlocked && caID !== undefined && network?.trustedCAIDs.includes(caID) === true;
}

export const reaches = (
  organization: Organization,
  source: ModelHost,
  destination: ModelHost,
  traffic: Traffic,
): boolean =>
  isConnected(organization, source) &&
  isConnected(organization, destination) &&
  allow(organization, source, destination, traffic);

/** The routes that a host gets through its tags, with the routers in its network. */
export function routesUsedBy(
  organization: Organization,
  host: ModelHost,
): { route: ModelRoute; router: ModelHost }[] {
  const subscribed = new Set(
    organization.tags.filter(({ name }) => host.tags.includes(name)).flatMap((tag) => tag.routeSubscriptions),
  );
  return organization.routes.flatMap((route) => {
    const router = findByID(organization.hosts, route.routerHostID ?? "");
    return subscribed.has(route.id) && router?.networkID === host.networkID ? [{ route, router }] : [];
  });
}

export const subnetsServedBy = ({ routes }: Organization, host: ModelHost): string[] => [
  ...new Set(
    routes
      .filter(({ routerHostID }) => routerHostID === host.id)
      .flatMap((route) => Object.keys(route.routableCIDRs)),
  ),
];

const isForSubnet = (localCIDR: string, subnets: readonly string[], address: string): boolean =>
  subnets.some((subnet) => contains(subnet, address)) &&
  (localCIDR === "0.0.0.0/0" || contains(localCIDR, address));

/** Whether a host reaches an address behind routers. Each of several routers has to allow it. */
export function reachesAddress(
  organization: Organization,
  source: ModelHost,
  address: string,
  traffic: Traffic,
): boolean {
  if (!isConnected(organization, source)) return false;
  const hasFamily = (host: ModelHost) => host.addresses.some((each) => isIpv6(each) === isIpv6(address));
  const own = subnetsServedBy(organization, source);
  const used = routesUsedBy(organization, source)
    .flatMap(({ route, router }) => Object.keys(route.routableCIDRs).map((subnet) => ({ subnet, router })))
    .filter(({ subnet }) => contains(subnet, address) && !own.includes(subnet));
  const lengthOf = (subnet: string) => Number(subnet.split("/")[1]);
  const longest = Math.max(...used.map(({ subnet }) => lengthOf(subnet)));
  const routers = new Set(
    used.filter(({ subnet }) => lengthOf(subnet) === longest).map(({ router }) => router),
  );
  if (!hasFamily(source) || routers.size === 0) return false;
  return [...routers].every(
    (router) =>
      router.id !== source.id &&
      isConnected(organization, router) &&
      hasFamily(router) &&
      organization.routes
        .filter(({ routerHostID }) => routerHostID === router.id)
        .some(({ routableCIDRs, firewallRules }) =>
          firewallRules.some(
            (rule) =>
              matchesTraffic(rule, traffic) &&
              matchesSource(rule, source) &&
              isForSubnet(rule.localCIDR, Object.keys(routableCIDRs), address),
          ),
        ),
  );
}
