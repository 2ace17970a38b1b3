/** What a change opens and closes, in the form of the API. */
import type { AccessChange, AccessPreview } from "@lightkeeper/contract";
import { type AccessChange as EngineChange, type AccessHost, diff } from "@lightkeeper/nebula/access";
import type { UncommittedModel } from "./access-models.ts";
import type { LoadedNetwork } from "./answers/loaded-network.ts";
import { presentGroup, presentHost, presentSubnet, presentTraffic } from "./answers/present.ts";
import { toLoadedNetwork } from "./load-networks.ts";

export interface NetworkDiff {
  opened: { change: EngineChange; network: LoadedNetwork }[];
  closed: { change: EngineChange; network: LoadedNetwork }[];
  affectedHosts: readonly AccessHost[];
}

export function compareNetworks({ before, after }: UncommittedModel): NetworkDiff[] {
  return [...after.networks.values()].flatMap((model) => {
    const previous = before.networks.get(model.id);
    if (!previous || previous.network === model.network) return [];
    const [from, to] = [toLoadedNetwork(before, previous), toLoadedNetwork(after, model)];
    const { opened, closed, affectedHosts } = diff(from.network, to.network);
    return {
      opened: opened.map((change) => ({ change, network: to })),
      closed: closed.map((change) => ({ change, network: from })),
      affectedHosts,
    };
  });
}

export type Changes = NetworkDiff["opened"];

/** A pair counts once for each change, because each allows other traffic. */
const countPairs = (changes: Changes) => changes.reduce((sum, { change }) => sum + change.pairs, 0);

const presentLargest = (changes: Changes, changesMax: number): AccessChange[] =>
  changes
    .toSorted((a, b) => b.change.pairs - a.change.pairs)
    .slice(0, changesMax)
    .map(({ change: { traffic, sources, destinations, regions, pairs }, network }) => ({
      networkID: network.id,
      traffic: presentTraffic(traffic),
      sources: presentGroups(network, sources),
      sourceCount: sources.length,
      destinations: presentGroups(network, destinations),
      destinationCount: destinations.length,
      subnets: regions.map(presentSubnet),
      pairCount: pairs,
    }));

function presentGroups(network: LoadedNetwork, hosts: readonly AccessHost[]): AccessChange["sources"] {
  const groups = new Map<string | null, AccessHost[]>();
  for (const host of hosts) {
    const members = groups.get(host.roleID);
    if (members) members.push(host);
    else groups.set(host.roleID, [host]);
  }
  return [...groups].map(([roleID, members]) => presentGroup(network, { roleID, tags: [], hosts: members }));
}

const AFFECTED_HOSTS_MAX = 100;

export function describeDiff(
  diffs: readonly NetworkDiff[],
  changesMax: number,
): Omit<AccessPreview, "brokenGuarantees" | "ownAccessLost"> {
  const opened = diffs.flatMap((each) => each.opened);
  const closed = diffs.flatMap((each) => each.closed);
  const affected = diffs.flatMap(({ affectedHosts }) => affectedHosts);
  return {
    opened: presentLargest(opened, changesMax),
    openedPairCount: countPairs(opened),
    closed: presentLargest(closed, changesMax),
    closedPairCount: countPairs(closed),
    affectedHostCount: affected.length,
    affectedHosts: affected.slice(0, AFFECTED_HOSTS_MAX).map(presentHost),
  };
}
