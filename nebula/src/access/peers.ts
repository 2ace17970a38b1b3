import type { FirewallRule } from "../firewall.ts";
import { indexNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";

/** The hosts that a rule allows: those with the role and all of the tags. */
export type Peers = Pick<FirewallRule, "allowedRoleID" | "allowedTags">;

export const isPeer = (host: AccessHost, { allowedRoleID, allowedTags }: Peers): boolean =>
  (!allowedRoleID || host.roleID === allowedRoleID) &&
  (!allowedTags || allowedTags.every((tag) => host.tags.includes(tag)));

export function countPeers(network: AccessNetwork, peers: Peers): number {
  const { hostsWithRole, hostsWithTag } = indexNetwork(network);
  const lists = [
    ...(peers.allowedRoleID ? [hostsWithRole(peers.allowedRoleID)] : []),
    ...(peers.allowedTags ?? []).map((tag) => hostsWithTag(tag)),
  ];
  const [shortest] = lists.toSorted((a, b) => a.length - b.length);
  return shortest ? shortest.filter((host) => isPeer(host, peers)).length : tableOf(network).hostCount;
}
