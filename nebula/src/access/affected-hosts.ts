import { addBit, addBits, noBits, positionsOf } from "./bits.ts";
import { hostAt } from "./host-table.ts";
import { tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork } from "./network.ts";
import { haveSameItems, listMovedRoutes } from "./rule-changes.ts";
import type { RuleChanges } from "./rule-changes.ts";
import type { AlignedNetworks } from "./slot-changes.ts";
import { toBits } from "./slots.ts";
import type { Slots } from "./slots.ts";

/** The hosts that get another configuration: other rules, groups or routes. */
export function findAffectedHosts(aligned: AlignedNetworks, ruleChanges: RuleChanges): AccessHost[] {
  const { before, after, changes } = aligned;
  const table = tableOf(after);
  const { slotsByRole, slotsByTag, slotByID, used } = table;
  const affected = noBits(used.length * 32);
  const add = (slots: Slots | undefined) => slots && addBits(affected, toBits(slots, used.length * 32));
  for (const change of changes)
    if (change.after && hasOtherGroups(change.before, change.after)) addBit(affected, change.slot);
  for (const id of ruleChanges.roleIDs) add(slotsByRole.get(id));
  for (const name of ruleChanges.tags) add(slotsByTag.get(name));
  const routeIDs = new Set(ruleChanges.routeIDs);
  for (const { id, routerHostID } of [...before.routes, ...after.routes]) {
    const slot = routeIDs.has(id) ? slotByID.get(routerHostID) : undefined;
    if (slot !== undefined) addBit(affected, slot);
  }
  for (const slot of findRouteUsers(aligned, ruleChanges)) addBit(affected, slot);
  return positionsOf(affected).map((slot) => hostAt(table, slot)!);
}

function hasOtherGroups(before: AccessHost | undefined, after: AccessHost): boolean {
  return !before || before.roleID !== after.roleID || !haveSameItems(before.tags, after.tags);
}

/** The hosts that use other routes, or routes that changed. */
function findRouteUsers(
  { before, after, changes }: AlignedNetworks,
  { tagsWithRoutes, routeIDs }: RuleChanges,
): number[] {
  const changedIDs = new Set([...routeIDs, ...listMovedRoutes(before, after, changes)]);
  const table = tableOf(after);
  const names = new Set(tagsWithRoutes);
  if (changedIDs.size > 0)
    for (const [name, tag] of after.tags) if (tag.routeIDs.some((id) => changedIDs.has(id))) names.add(name);
  const candidates = noBits(table.used.length * 32);
  for (const name of names) {
    const slots = table.slotsByTag.get(name);
    if (slots) addBits(candidates, toBits(slots, table.used.length * 32));
  }
  const existing = new Map([before, after].map((network) => [network, listRouteIDs(network)]));
  const usedRoutes = (network: AccessNetwork, host: AccessHost) =>
    host.tags
      .flatMap((name) => network.tags.get(name)?.routeIDs ?? [])
      .filter((id) => existing.get(network)!.has(id));
  return positionsOf(candidates).filter((slot) => {
    const host = hostAt(table, slot)!;
    const routes = usedRoutes(after, host);
    return routes.some((id) => changedIDs.has(id)) || !haveSameItems(usedRoutes(before, host), routes);
  });
}

const listRouteIDs = ({ routes }: AccessNetwork) => new Set(routes.map(({ id }) => id));
