// What a change opens and closes. Rules only allow, and their order doesn't matter, so access is a set, and a change is
// the difference of two sets.

import { createBitsNumbering, createPartsFinder } from "./access-parts.ts";
import { findAffectedHosts } from "./affected-hosts.ts";
import { addBit, countBits, hasBit, noBits, positionsOf, subtractBits } from "./bits.ts";
import type { Bits } from "./bits.ts";
import { viewClasses } from "./classes.ts";
import type { ClassView } from "./classes.ts";
import { shareConnected, viewConnectedHosts } from "./connected-hosts.ts";
import { findHostsWithOtherRules, findHostsWithOtherSources } from "./diff-targets.ts";
import { findHostTargets, findRegionTargets } from "./diff-targets.ts";
import type { Target, Views } from "./diff-targets.ts";
import { groupBy } from "./group-by.ts";
import type { SlotChange } from "./host-table.ts";
import { indexNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { joinTraffic, trafficKey } from "./port-ranges.ts";
import type { TrafficRange } from "./port-ranges.ts";
import type { Region } from "./regions.ts";
import { findRuleChanges, haveSameItems } from "./rule-changes.ts";
import type { RuleChanges } from "./rule-changes.ts";
import { alignNetworks } from "./slot-changes.ts";

/** Traffic that all sources may now send to all destinations, or no longer. */
export interface AccessChange {
  readonly traffic: readonly TrafficRange[];
  readonly sources: readonly AccessHost[];
  /** Hosts, or regions behind routers. */
  readonly destinations: readonly AccessHost[];
  readonly regions: readonly Region[];
  /** Pairs of a source and another host or a region. */
  readonly pairs: number;
}

export interface AccessDiff {
  readonly opened: readonly AccessChange[];
  readonly closed: readonly AccessChange[];
  /** Hosts after the change that get another configuration: other rules, groups or routes. */
  readonly affectedHosts: readonly AccessHost[];
}

export function diff(givenBefore: AccessNetwork, givenAfter: AccessNetwork): AccessDiff {
  const aligned = alignNetworks(givenBefore, givenAfter);
  const { before, after, changes } = aligned;
  shareConnected(before, after, changes);
  const views = { before: viewConnectedHosts(before), after: viewConnectedHosts(after) };
  const ruleChanges = findRuleChanges(before, after);
  const comparisons = listComparisons(views, ruleChanges, findChangedHosts(views, changes));
  const findChanges = (side: keyof Views, other: keyof Views) =>
    toChanges(
      views[side],
      comparisons.flatMap((comparison) => findParts(comparison, side, other)),
    );
  return {
    opened: findChanges("after", "before"),
    closed: findChanges("before", "after"),
    affectedHosts: findAffectedHosts(aligned, ruleChanges),
  };
}

/** Hosts that rules treat differently than before, as sources or as destinations. */
function findChangedHosts({ before, after }: Views, changes: readonly SlotChange[]): SlotChange[] {
  const changed = new Map(
    changes
      .filter(({ slot, before: was, after: is }) => {
        const isSame =
          was !== undefined &&
          is !== undefined &&
          was.roleID === is.roleID &&
          was.nebulaVersion === is.nebulaVersion &&
          haveSameItems(was.addresses, is.addresses) &&
          haveSameItems(was.tags, is.tags);
        return !isSame || hasBit(before.connected, slot) !== hasBit(after.connected, slot);
      })
      .map((change) => [change.slot, change]),
  );
  if (before.connected !== after.connected)
    for (const [index, word] of after.connected.entries())
      for (const offset of positionsOf(Uint32Array.of(word ^ (before.connected[index] ?? 0)))) {
        const slot = index * 32 + offset;
        changed.set(slot, { slot, before: before.hostAt(slot), after: after.hostAt(slot) });
      }
  return [...changed.values()];
}

/** Targets, and the sources for which they are compared: all hosts, or only those that changed. */
interface Comparison {
  readonly sources: Views;
  readonly targets: readonly Target[];
  /** The slots of the sources' positions, if they aren't the same. */
  readonly slots?: readonly number[];
}

function listComparisons(
  views: Views,
  ruleChanges: RuleChanges,
  changed: readonly SlotChange[],
): Comparison[] {
  const targets = findHostsWithOtherRules(views, ruleChanges);
  for (const { slot } of changed) addBit(targets, slot);
  const haveRoutesChanged =
    ruleChanges.routeIDs.length > 0 ||
    ruleChanges.tagsWithRoutes.length > 0 ||
    !haveSameItems(views.before.network.cidrs, views.after.network.cidrs) ||
    [views.before, views.after].some(({ network }) => hasRouter(network, targets));
  const all = {
    sources: views,
    targets: [
      ...findHostTargets(views, views, targets),
      ...(haveRoutesChanged ? findRegionTargets(views) : []),
    ],
  };
  if (changed.length === 0) return [all];
  const sources = {
    before: viewClasses(
      views.before.network,
      changed.map(({ before }) => before),
    ),
    after: viewClasses(
      views.after.network,
      changed.map(({ after }) => after),
    ),
  };
  const others = subtractBits(findHostsWithOtherSources(views, sources), targets);
  const some = {
    sources,
    targets: [
      ...findHostTargets(views, sources, others),
      ...(haveRoutesChanged ? [] : findRegionTargets(sources)),
    ],
    slots: changed.map(({ slot }) => slot),
  };
  return [all, some];
}

function hasRouter(network: AccessNetwork, slots: Bits): boolean {
  const { slotByID } = tableOf(network);
  return [...indexNetwork(network).routesByRouterID.keys()].some((id) => {
    const slot = slotByID.get(id);
    return slot !== undefined && hasBit(slots, slot);
  });
}

interface Part extends Pick<Target, "destinations" | "regions"> {
  readonly traffic: readonly TrafficRange[];
  /** Slots. */
  readonly sources: Bits;
}

/** What one of the networks allows and the other doesn't. */
function findParts({ sources, targets, slots }: Comparison, side: keyof Views, other: keyof Views): Part[] {
  const find = createPartsFinder(Math.max(sources.before.size, sources.after.size));
  const numberOf = createBitsNumbering();
  const converted = new Map<number, Bits>();
  const toSlots = (bits: Bits): Bits => {
    if (!slots) return bits;
    const number = numberOf(bits);
    const known = converted.get(number) ?? convertBits(bits, slots);
    converted.set(number, known);
    return known;
  };
  return targets.flatMap(({ destinations, regions, [side]: openings, [other]: others }) =>
    groupBy(find(openings, others), (part) => `${numberOf(part.sources)}`).map((parts) => ({
      destinations,
      regions,
      traffic: joinTraffic(parts.map(({ protocol, from, to }) => ({ protocol, from, to }))),
      sources: toSlots(parts[0]!.sources),
    })),
  );
}

function convertBits(bits: Bits, slots: readonly number[]): Bits {
  const converted = noBits(Math.max(0, ...slots) + 1);
  for (const position of positionsOf(bits)) addBit(converted, slots[position]!);
  return converted;
}

/** Joins the destinations with the same sources and traffic. */
function toChanges({ hostAt }: ClassView, parts: readonly Part[]): AccessChange[] {
  const numberOf = createBitsNumbering();
  const groups = groupBy(parts, ({ sources, traffic, regions }) =>
    [numberOf(sources), regions.length > 0, trafficKey(traffic)].join(),
  );
  return groups
    .map((group): AccessChange => {
      const { sources, traffic } = group[0]!;
      const destinations = group.flatMap((part) => part.destinations);
      const regions = group.flatMap((part) => part.regions);
      const selves = destinations.filter((slot) => hasBit(sources, slot)).length;
      const pairs = countBits(sources) * (destinations.length + regions.length) - selves;
      const list = once(() => positionsOf(sources).map((slot) => hostAt(slot)!));
      return {
        traffic,
        // Most callers show a few changes, and each may have all hosts as sources.
        get sources() {
          return list();
        },
        destinations: destinations.map((slot) => hostAt(slot)!),
        regions,
        pairs,
      };
    })
    .filter(({ pairs }) => pairs > 0);
}

function once<Value>(create: () => Value): () => Value {
  let created: { value: Value } | undefined;
  return () => (created ??= { value: create() }).value;
}
