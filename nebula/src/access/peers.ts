import type { FirewallRule } from "../firewall.ts";
import { hostAt } from "./host-table.ts";
import { indexNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { NO_SLOTS } from "./slots.ts";

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

/** Faster than counting: a role or a tag alone needs no search, and a search ends at the first host. */
export function hasPeers(network: AccessNetwork, peers: Peers): boolean {
  const table = tableOf(network);
  const sets = [
    ...(peers.allowedRoleID ? [table.slotsByRole.get(peers.allowedRoleID)] : []),
    ...(peers.allowedTags ?? []).map((tag) => table.slotsByTag.get(tag)),
  ].map((slots = NO_SLOTS) => slots);
  const [shortest, ...others] = sets.toSorted((a, b) => a.length - b.length);
  if (!shortest) return table.hostCount > 0;
  if (others.length === 0) return shortest.length > 0;
  return shortest.some((slot) => isPeer(hostAt(table, slot)!, peers));
}
