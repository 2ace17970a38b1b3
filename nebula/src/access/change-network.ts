import type { FirewallRule } from "../firewall.ts";
import { changeHosts } from "./host-table.ts";
import { createNetwork, tableOf } from "./network-index.ts";
import type { AccessHost, AccessNetwork, AccessRoute, AccessTag } from "./network.ts";
import { haveSameItems } from "./rule-changes.ts";

/** New values by ID, or by name for tags; undefined deletes. */
export interface NetworkChanges {
  readonly hosts?: ReadonlyMap<string, AccessHost | undefined>;
  readonly roles?: ReadonlyMap<string, readonly FirewallRule[] | undefined>;
  readonly tags?: ReadonlyMap<string, AccessTag | undefined>;
  readonly routes?: ReadonlyMap<string, AccessRoute | undefined>;
  readonly trustedCaIDs?: ReadonlySet<string>;
  readonly now?: Date;
  readonly cidrs?: readonly string[];
}

/** The network after the changes. All parts that don't change are shared, so the cost depends on the changes only. */
export function changeNetwork(network: AccessNetwork, changes: NetworkChanges): AccessNetwork {
  const table = tableOf(network);
  return createNetwork(
    {
      cidrs: changes.cidrs && !haveSameItems(changes.cidrs, network.cidrs) ? changes.cidrs : network.cidrs,
      now: changes.now ?? network.now,
      trustedCaIDs: changes.trustedCaIDs ?? network.trustedCaIDs,
      roles: changeMap(network.roles, changes.roles),
      tags: changeMap(network.tags, changes.tags),
      routes: changeRoutes(network.routes, changes.routes),
    },
    changes.hosts ? changeHosts(table, changes.hosts) : table,
  );
}

function changeMap<Value>(
  values: ReadonlyMap<string, Value>,
  changes: ReadonlyMap<string, Value | undefined> = new Map<string, never>(),
): ReadonlyMap<string, Value> {
  const effective = [...changes].filter(([key, value]) => values.get(key) !== value);
  if (effective.length === 0) return values;
  const changed = new Map(values);
  for (const [key, value] of effective) {
    if (value === undefined) changed.delete(key);
    else changed.set(key, value);
  }
  return changed;
}

function changeRoutes(
  routes: readonly AccessRoute[],
  changes: ReadonlyMap<string, AccessRoute | undefined> = new Map<string, never>(),
): readonly AccessRoute[] {
  if (changes.size === 0) return routes;
  const byID = new Map(routes.map((route) => [route.id, route]));
  const changed = changeMap(byID, changes);
  return changed === byID ? routes : [...changed.values()];
}
