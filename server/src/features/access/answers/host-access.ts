/** Who can reach a host, and whom it can reach. */
import { HOST_ACCESS_GROUPS_MAX, type HostAccess } from "@lightkeeper/contract";
import {
  type AccessHost,
  blastRadius,
  findProblem,
  reach,
  type ReachGroup,
} from "@lightkeeper/nebula/access";
import { type AccessSearch, parseSearch } from "./access-search.ts";
import type { LoadedNetwork } from "./loaded-network.ts";
import { matrixOf } from "./network-matrix.ts";
import {
  type HostGroup,
  presentFailedCheck,
  presentGroup,
  presentHost,
  presentRule,
  presentSubnet,
  presentTraffic,
} from "./present.ts";

type PresentedReach = HostAccess["inbound"][number];

export function describeHostAccess(
  loaded: LoadedNetwork,
  host: AccessHost,
  searchText: string | undefined,
): HostAccess {
  const given = matrixOf(loaded.network);
  const search = parseSearch(searchText);
  const { inbound, outbound, outboundRegions } = reach(given, host);
  const present = (groups: readonly ReachGroup[], decidingHost?: AccessHost) =>
    presentReach(loaded, groups, search, decidingHost);
  const [from, to] = [present(inbound, host), present(outbound)];
  const { hosts, regions } = blastRadius(given, host);
  const problem = findProblem(loaded.network, host);
  return {
    host: presentHost(host),
    networkID: loaded.id,
    failedCheck: problem ? presentFailedCheck(loaded, problem) : null,
    inbound: from.groups,
    inboundGroupCount: from.groupCount,
    inboundHostCount: from.hostCount,
    outbound: to.groups,
    outboundGroupCount: to.groupCount,
    outboundHostCount: to.hostCount,
    subnets: outboundRegions
      .filter(
        ({ region, traffic }) => !search || search.matchesText(region.cidr) || search.matchesTraffic(traffic),
      )
      .map(({ region, traffic, rules }) => ({
        subnet: presentSubnet(region),
        traffic: presentTraffic(traffic),
        rules: rules.map((rule) => presentRule(loaded, rule)),
      })),
    blastRadius: { hostCount: hosts.size, subnetCount: regions.size },
    revision: loaded.revision,
  };
}

function presentReach(
  loaded: LoadedNetwork,
  classes: readonly ReachGroup[],
  search: AccessSearch | undefined,
  decidingHost: AccessHost | undefined,
) {
  const matching = mergeClasses(loaded, classes, decidingHost).filter(
    ({ group, ranges }) => !search || search.matchesGroup(loaded, group) || search.matchesTraffic(ranges),
  );
  const nameOf = ({ roleID, tags }: HostGroup) =>
    [loaded.roleNames.get(roleID ?? "") ?? "", ...tags].join("\n");
  const sorted = matching.toSorted(
    (a, b) =>
      b.group.hosts.length - a.group.hosts.length || nameOf(a.group).localeCompare(nameOf(b.group), "en"),
  );
  return {
    groups: sorted
      .slice(0, HOST_ACCESS_GROUPS_MAX)
      .map(({ group, presented }): PresentedReach => ({ group: presentGroup(loaded, group), ...presented })),
    groupCount: matching.length,
    hostCount: matching.reduce((sum, { group }) => sum + group.hosts.length, 0),
  };
}

interface MergedGroup {
  group: HostGroup;
  ranges: ReachGroup["traffic"];
  presented: Omit<PresentedReach, "group">;
}

/** Joins classes that differ only in ways that make no difference here, such as the version of Nebula. */
function mergeClasses(
  loaded: LoadedNetwork,
  classes: readonly ReachGroup[],
  decidingHost: AccessHost | undefined,
): MergedGroup[] {
  const merged = new Map<string, MergedGroup>();
  for (const { class: each, hosts, traffic, rules } of classes) {
    const { roleID, tags } = each;
    const presented = {
      traffic: presentTraffic(traffic),
      rules: rules.map((rule) => presentRule(loaded, rule, decidingHost ?? hosts[0])),
    };
    const key = JSON.stringify([roleID, tags, presented]);
    const group = { roleID, tags, hosts: [...(merged.get(key)?.group.hosts ?? []), ...hosts] };
    merged.set(key, { group, ranges: traffic, presented });
  }
  return [...merged.values()];
}
