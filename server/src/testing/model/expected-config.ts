/** What the configuration of a host should contain, derived from the model. */
import { contains, isIpv6 } from "./addresses.ts";
import { routesUsedBy, rulesOf, subnetsServedBy } from "./reachability.ts";
import {
  type ExpectedConfig,
  findByID,
  getByID,
  hostsIn,
  type ModelHost,
  type ModelNetwork,
  type ModelRule,
  type Organization,
} from "./state.ts";

const DEFAULT_MTU = 1300;

const portOf = ({ protocol, portRange }: ModelRule): string => {
  if (protocol === "ICMP" || !portRange) return "any";
  return portRange.from === portRange.to ? `${portRange.from}` : `${portRange.from}-${portRange.to}`;
};

/** One rule as a text: protocol, port, the groups that a source must have, and the subnet. */
function describeRule(rule: ModelRule, subnet?: string): string {
  const groups = [
    ...(rule.allowedRoleID === null ? [] : [`role:${rule.allowedRoleID}`]),
    ...new Set((rule.allowedTags ?? []).map((tag) => `tag:${tag}`)),
  ];
  return [rule.protocol.toLowerCase(), portOf(rule), groups.toSorted().join() || "any", subnet ?? ""].join(
    " ",
  );
}

function describeRouteRules({ routes }: Organization, host: ModelHost): string[] {
  const served = routes.filter(({ routerHostID }) => routerHostID === host.id);
  return served.flatMap(({ routableCIDRs, firewallRules }) =>
    firewallRules.flatMap((rule) => {
      const subnets = rule.localCIDR === "0.0.0.0/0" ? Object.keys(routableCIDRs) : [rule.localCIDR];
      return subnets.map((subnet) => describeRule(rule, subnet));
    }),
  );
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].toSorted();

/** The first address that both hosts have a family of. */
const addressFor = (host: ModelHost, peer: ModelHost): string | undefined =>
  peer.addresses.find((address) => host.addresses.some((own) => isIpv6(own) === isIpv6(address)));

function describeRoutes(organization: Organization, network: ModelNetwork, host: ModelHost): string[] {
  const own = subnetsServedBy(organization, host);
  const used = routesUsedBy(organization, host).flatMap(({ route, router }) =>
    Object.entries(route.routableCIDRs).map(([subnet, { install }]) => ({
      subnet,
      install,
      router: addressFor(host, router),
    })),
  );
  const isUsable = (subnet: string) =>
    !own.includes(subnet) &&
    !network.cidrs.some((cidr) => contains(cidr, subnet)) &&
    host.addresses.some((address) => isIpv6(address) === isIpv6(subnet));
  return distinct(used.map(({ subnet }) => subnet).filter(isUsable)).flatMap((subnet) => {
    const same = used.filter((each) => each.subnet === subnet);
    const routers = distinct(same.flatMap(({ router }) => router ?? []));
    const isInstalled = same.some(({ install }) => install);
    return routers.length === 0
      ? []
      : [`${subnet} via ${routers.join()}${isInstalled ? "" : " not installed"}`];
  });
}

/** The value of the host, or of its tag with the highest priority. */
function findMtu({ tags }: Organization, host: ModelHost): number {
  const ofTags = tags.filter(({ name }) => host.tags.includes(name)).flatMap((tag) => tag.configOverrides);
  const last = [...ofTags, ...host.configOverrides].at(-1);
  return last ? (last.value as number) : DEFAULT_MTU;
}

function describePeers(organization: Organization, network: ModelNetwork, host: ModelHost) {
  const peers = hostsIn(organization, network.id)
    .filter((peer) => peer.id !== host.id && !peer.isBlocked)
    .flatMap((peer) => {
      const address = addressFor(host, peer);
      return address === undefined ? [] : [{ peer, address }];
    });
  const lighthouses = peers.filter(({ peer }) => peer.isLighthouse);
  const relays = peers.filter(
    ({ peer }) => peer.isRelay || (peer.isLighthouse && network.lighthousesAsRelays),
  );
  const isRelay = host.isRelay || (host.isLighthouse && network.lighthousesAsRelays);
  const found = [...lighthouses, ...relays].filter(({ peer }) => peer.staticAddresses.length > 0);
  return {
    lighthouses: host.isLighthouse ? [] : distinct(lighthouses.map(({ address }) => address)),
    relays: isRelay ? [] : distinct(relays.map(({ address }) => address)),
    staticHostMap: Object.fromEntries(
      found.map(({ peer, address }) => [address, peer.staticAddresses.toSorted()]),
    ),
    isRelay,
  };
}

export const blocklistOf = ({ revoked, trustedCAIDs }: ModelNetwork): string[] =>
  distinct(revoked.filter(({ caID }) => trustedCAIDs.includes(caID)).map(({ fingerprint }) => fingerprint));

export function expectConfig(organization: Organization, host: ModelHost): ExpectedConfig {
  const network = getByID(organization.networks, host.networkID);
  const own = rulesOf(organization, host).map((rule) => describeRule(rule));
  return {
    inbound: distinct([...own, ...describeRouteRules(organization, host)]),
    unsafeRoutes: describeRoutes(organization, network, host),
    ...describePeers(organization, network, host),
    isLighthouse: host.isLighthouse,
    advertised: host.isLighthouse ? [] : host.staticAddresses.filter((each) => /^\d/.test(each)),
    listenPort: host.listenPort,
    mtu: findMtu(organization, host),
    trustedCAIDs: distinct(network.trustedCAIDs),
    blocklist: blocklistOf(network),
  };
}

/** The part of a certificate that identifies its host. */
export function expectIdentity(organization: Organization, host: ModelHost) {
  const role = findByID(organization.roles, host.roleID ?? "");
  return {
    name: host.name,
    addresses: host.addresses,
    groups: distinct([...(role ? [`role:${role.id}`] : []), ...host.tags.map((tag) => `tag:${tag}`)]),
    subnets: distinct(
      subnetsServedBy(organization, host).filter((subnet) =>
        host.addresses.some((address) => isIpv6(address) === isIpv6(subnet)),
      ),
    ),
  };
}
