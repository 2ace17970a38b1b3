// Which destinations a change can affect, and what they accept before and after.

import {
  addBit,
  addBits,
  areEqualBits,
  hasBit,
  intersectBits,
  isEmptyBits,
  noBits,
  positionsOf,
} from "./bits.ts";
import type { Bits } from "./bits.ts";
import { listTagsWithRules } from "./broken-pairs.ts";
import { findPeers } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { ALL_FAMILIES, familiesOf } from "./families.ts";
import { groupBy } from "./group-by.ts";
import { listFamilySets } from "./host-table.ts";
import { indexNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { findOpenings } from "./openings.ts";
import type { Opening } from "./openings.ts";
import { createRegionFinder } from "./region-openings.ts";
import { listComparableRegions } from "./regions.ts";
import type { Region } from "./regions.ts";
import type { RuleChanges } from "./rule-changes.ts";
import { hostsOfOwner, listRuleOwners } from "./rule-owners.ts";
import type { RuleOwner } from "./rule-owners.ts";

/** The network before and after a change, with the same positions. */
export interface Views {
  readonly before: ClassView;
  readonly after: ClassView;
}

/** Destinations that accept the same before the change, and the same after it. */
export interface Target {
  /** Slots. */
  readonly destinations: readonly number[];
  readonly regions: readonly Region[];
  readonly before: readonly Opening[];
  readonly after: readonly Opening[];
}

/** The hosts that have other rules than before. */
export function findHostsWithOtherRules(
  { before, after }: Views,
  { roleIDs, tags, routeIDs }: RuleChanges,
): Bits {
  const hosts = noBits(Math.max(before.size, after.size));
  for (const { byRole, byTag } of [before, after])
    for (const set of [...roleIDs.map((id) => byRole.get(id)), ...tags.map((name) => byTag.get(name))])
      if (set) addBits(hosts, set);
  const changed = new Set(routeIDs);
  for (const { network } of [before, after])
    for (const { id, routerHostID } of network.routes) {
      const slot = changed.has(id) ? tableOf(network).slotByID.get(routerHostID) : undefined;
      if (slot !== undefined) addBit(hosts, slot);
    }
  return hosts;
}

/** The hosts with unchanged rules that allow other changed hosts than before, among which the sources are compared. */
export function findHostsWithOtherSources(hosts: Views, sources: Views): Bits {
  const found = noBits(hosts.after.size);
  const familySets = listFamilySets(tableOf(hosts.after.network));
  for (const owners of listRuleOwners(hosts.after.network))
    for (const owner of owners) {
      const isChanged = owner.rules.some((rule) =>
        familySets.some(
          (families) =>
            !areEqualBits(
              findPeers(sources.before, rule, families),
              findPeers(sources.after, rule, families),
            ),
        ),
      );
      const set = isChanged ? hostsOfOwner(hosts.after, owner) : undefined;
      if (set) addBits(found, set);
    }
  // The rules of a route may apply to its router too.
  const { network } = hosts.after;
  for (const id of indexNetwork(network).routesByRouterID.keys()) {
    const slot = tableOf(network).slotByID.get(id);
    if (slot !== undefined) addBit(found, slot);
  }
  return intersectBits(found, hosts.after.connected);
}

/** What the hosts accept from the sources, which are the hosts themselves or a few of them. */
export function findHostTargets(hosts: Views, sources: Views, slots: Bits): Target[] {
  const allowing = hosts === sources ? undefined : listAllowingOwners(sources);
  const keyOf = (view: ClassView, slot: number) => {
    const host = view.hostAt(slot);
    return host && hasBit(view.connected, slot) ? ruleKey(view.network, host, allowing) : "";
  };
  const openingsOf = (side: keyof Views, slot: number) => {
    const host = hosts[side].hostAt(slot);
    return host && hasBit(hosts[side].connected, slot) ? findOpenings(sources[side], host) : [];
  };
  const haveSameTags = hosts.before.network.tags === hosts.after.network.tags;
  return groupBy(positionsOf(slots), (slot) => {
    const key = keyOf(hosts.before, slot);
    const isSame =
      haveSameTags &&
      hosts.before.hostAt(slot) === hosts.after.hostAt(slot) &&
      hasBit(hosts.before.connected, slot) === hasBit(hosts.after.connected, slot);
    return isSame ? key : `${key}\n\n${keyOf(hosts.after, slot)}`;
  }).map((destinations) => ({
    destinations,
    regions: [],
    before: openingsOf("before", destinations[0]!),
    after: openingsOf("after", destinations[0]!),
  }));
}

/** The roles and tags with a rule that allows one of the sources, before or after the change. */
function listAllowingOwners(sources: Views): AllowingOwners {
  const allowing = { role: new Set<string>(), tag: new Set<string>() };
  for (const view of [sources.before, sources.after])
    for (const { kind, key, rules } of listRuleOwners(view.network).flat())
      if (rules.some((rule) => !isEmptyBits(findPeers(view, rule, ALL_FAMILIES)))) allowing[kind].add(key);
  return allowing;
}

type AllowingOwners = Record<RuleOwner["kind"], ReadonlySet<string>>;

/** Hosts with the same key have the same rules, apart from those that allow none of the sources. */
function ruleKey(network: AccessNetwork, host: AccessHost, allowing?: AllowingOwners): string {
  if (indexNetwork(network).routesByRouterID.has(host.id)) return host.id;
  const roleID = host.roleID ?? "";
  const tags = listTagsWithRules(network, host);
  const families = familiesOf(host);
  if (!allowing) return [families, roleID, ...tags].join("\n");
  return [
    families,
    allowing.role.has(roleID) ? roleID : "",
    ...tags.filter((tag) => allowing.tag.has(tag)),
  ].join("\n");
}

export function findRegionTargets(sources: Views): Target[] {
  const [before, after] = [sources.before.network, sources.after.network];
  const find = { before: createRegionFinder(sources.before), after: createRegionFinder(sources.after) };
  const regions = listComparableRegions(before, after);
  return regions.map((region) => ({
    destinations: [],
    regions: [region],
    before: find.before(region),
    after: find.after(region),
  }));
}
