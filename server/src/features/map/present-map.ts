import {
  type HostStatus,
  MAP_OVERVIEW_TAGS_MAX,
  type MapHostCounts,
  type NetworkMap,
} from "@lightkeeper/contract";
import type { GroupCountsRow, MapHostRow, MapRouteRow } from "./map.queries.ts";
import { mergeTunnels } from "./merge-tunnels.ts";

/** Numbers distinct values in the order in which they appear. */
function createDictionary<Value>(keyOf: (value: Value) => string = String) {
  const numbers = new Map<string, number>();
  const values: Value[] = [];
  const numberOf = (value: Value): number => {
    const key = keyOf(value);
    const number = numbers.get(key) ?? values.push(value) - 1;
    numbers.set(key, number);
    return number;
  };
  return { values, numberOf };
}

/** Positions of the hosts with a property. */
const positionsOf = (hosts: readonly MapHostRow[], has: (host: MapHostRow) => boolean): number[] =>
  hosts.flatMap((host, position) => (has(host) ? [position] : []));

function presentRoutes(rows: readonly MapRouteRow[], hosts: readonly MapHostRow[]): NetworkMap["routes"] {
  const routers = new Map(hosts.map(({ id }, position) => [id, position]));
  return rows.flatMap(({ id, name, router_id, routable_cidrs }) => {
    const router = routers.get(router_id);
    // A router that was deleted between the two statements.
    if (router === undefined) return [];
    return [{ id, name, router, subnets: Object.keys(routable_cidrs).toSorted() }];
  });
}

interface MapRows {
  networkID: string;
  hosts: readonly MapHostRow[];
  routes: readonly MapRouteRow[];
}

export function presentMap({ networkID, hosts, routes }: MapRows): NetworkMap {
  const [roleIDs, tags, versions] = [
    createDictionary<string>(),
    createDictionary<string>(),
    createDictionary<string>(),
  ];
  const statuses = createDictionary<HostStatus[]>((value) => value.join());
  const numberOrNull = (dictionary: typeof roleIDs, value: string | null) =>
    value === null ? null : dictionary.numberOf(value);
  return {
    networkID,
    hostCount: hosts.length,
    hosts: {
      id: hosts.map(({ id }) => id),
      name: hosts.map(({ name }) => name),
      ipAddress: hosts.map(({ ip_address }) => ip_address),
      role: hosts.map(({ role_id }) => numberOrNull(roleIDs, role_id)),
      tags: hosts.map((host) => host.tags.map(tags.numberOf)),
      statuses: hosts.map((host) => statuses.numberOf(host.statuses)),
      version: hosts.map(({ agent_version }) => numberOrNull(versions, agent_version)),
    },
    roleIDs: roleIDs.values,
    tags: tags.values,
    statuses: statuses.values,
    versions: versions.values,
    lighthouses: positionsOf(hosts, ({ is_lighthouse }) => is_lighthouse),
    relays: positionsOf(hosts, ({ is_relay }) => is_relay),
    notReporting: positionsOf(hosts, ({ is_enrolled, reported_at }) => is_enrolled && reported_at === null),
    routes: presentRoutes(routes, hosts),
    tunnels: mergeTunnels(hosts),
    overview: null,
  };
}

const countsOf = ({ role_id: _role, tag: _tag, ...counts }: GroupCountsRow): MapHostCounts => counts;

/** A network with too many hosts: only the counts of its roles and tags. */
export function presentOverview(
  network: { id: string; host_count: number },
  rows: readonly GroupCountsRow[],
): NetworkMap {
  const roles = rows.filter(({ tag }) => tag === "");
  const tags = rows.filter(({ tag }) => tag !== "").slice(0, MAP_OVERVIEW_TAGS_MAX);
  return {
    ...presentMap({ networkID: network.id, hosts: [], routes: [] }),
    hostCount: network.host_count,
    overview: {
      roles: roles.map((row) => ({ roleID: row.role_id, counts: countsOf(row) })),
      tags: tags.map((row) => ({ tag: row.tag, counts: countsOf(row) })),
    },
  };
}
