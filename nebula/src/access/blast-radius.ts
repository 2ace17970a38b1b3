// What someone with a stolen host can reach: directly, and from machines behind the routers that the host reaches. Such
// a machine sends through its router, so others see the router's certificate, and they answer only if they use the route.

import { ipPrefixContains } from "../ip-prefixes.ts";
import type { IpPrefix } from "../ip-prefixes.ts";
import { familyOf } from "./families.ts";
import type { Families } from "./families.ts";
import { findRoute } from "./find-route.ts";
import { findOwnFamilies, readHostFirewall, readPrefix } from "./host-firewall.ts";
import type { AccessMatrix } from "./matrix.ts";
import { indexNetwork } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { joinTraffic, trafficOf } from "./port-ranges.ts";
import { reach } from "./reach.ts";
import type { ReachGroup, RegionReach } from "./reach.ts";
import type { Region } from "./regions.ts";

export interface BlastStep {
  /** The region from which the step starts, and its router; missing for the stolen host itself. */
  readonly from?: { readonly region: Region; readonly router: AccessHost };
  readonly hosts: readonly ReachGroup[];
  readonly regions: readonly RegionReach[];
}

export interface BlastRadius {
  readonly steps: readonly BlastStep[];
  readonly hosts: ReadonlySet<AccessHost>;
  readonly regions: ReadonlySet<Region>;
}

export function blastRadius(given: AccessMatrix, host: AccessHost): BlastRadius {
  const direct = reach(given, host);
  const steps: BlastStep[] = [{ hosts: direct.outbound, regions: direct.outboundRegions }];
  const regions = new Set(direct.outboundRegions.map(({ region }) => region));
  // A set can grow while it is iterated: regions that are found on the way are visited too.
  for (const region of regions) {
    for (const router of findRouters(given, region)) {
      const step = reachFrom(given, region, router);
      steps.push(step);
      for (const { region: found } of step.regions) regions.add(found);
    }
  }
  const hosts = new Set(steps.flatMap((step) => step.hosts.flatMap((group) => group.hosts)));
  hosts.delete(host);
  return { steps: steps.filter((step) => step.hosts.length > 0 || step.regions.length > 0), hosts, regions };
}

function findRouters({ view: { network } }: AccessMatrix, region: Region): AccessHost[] {
  const address = readPrefix(region.address);
  const { byID, routesByRouterID } = indexNetwork(network);
  return [...routesByRouterID.keys()]
    .flatMap((id) => byID.get(id) ?? [])
    .filter((host) =>
      readHostFirewall(network, host).subnets.some((subnet) => ipPrefixContains(subnet, address)),
    );
}

/** The rules of a router's routes may apply to its address of one family only. */
function limitToFamily(network: AccessNetwork, group: ReachGroup, family: Families): ReachGroup {
  const host = group.hosts[0]!;
  if (!indexNetwork(network).routesByRouterID.has(host.id)) return group;
  const firewall = readHostFirewall(network, host);
  const rules = group.rules.filter((rule) => (findOwnFamilies(firewall, host, rule) & family) !== 0);
  return { ...group, rules, traffic: joinTraffic(rules.flatMap(({ rule }) => trafficOf(rule))) };
}

function reachFrom(given: AccessMatrix, region: Region, router: AccessHost): BlastStep {
  const { network } = given.view;
  const source = readPrefix(region.address);
  const { outbound, outboundRegions } = reach(given, router);
  const answers = (host: AccessHost, address: IpPrefix) =>
    findRoute(network, host, address)?.routers.includes(router) ?? false;
  const family = familyOf(region.address);
  return {
    from: { region, router },
    hosts: outbound
      .map((group) => limitToFamily(network, group, family))
      .map((group) => ({ ...group, hosts: group.hosts.filter((host) => answers(host, source)) }))
      .filter(({ hosts, rules }) => hosts.length > 0 && rules.length > 0),
    regions: outboundRegions.filter(
      (each) =>
        each.region !== region &&
        familyOf(each.region.address) === family &&
        findRouters(given, each.region).some((other) => answers(other, source)),
    ),
  };
}
