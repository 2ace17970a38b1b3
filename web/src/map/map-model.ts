/** The hosts, tunnels and routes of a network, from the columns that the server returns. */
import type { HostStatus, MapRoute, NetworkMap } from "@lightkeeper/contract";

/** How a host looks: the first status in this order, as in the counts above the host list. */
export const marks = ["blocked", "neverEnrolled", "offline", "drifted", "online"] as const;
export type Mark = (typeof marks)[number];

export const infrastructures = ["lighthouse", "relay", "router"] as const;
export type Infrastructure = (typeof infrastructures)[number];

export interface MapHost {
  readonly position: number;
  readonly id: string;
  readonly name: string;
  readonly ipAddress: string;
  readonly roleID: string | null;
  readonly tags: readonly string[];
  readonly statuses: readonly HostStatus[];
  readonly version: string | null;
  readonly mark: Mark;
  readonly isLighthouse: boolean;
  readonly isRelay: boolean;
  /** Undefined for a host that is only a host. */
  readonly infrastructure: Infrastructure | undefined;
  /** False if its agent doesn't report tunnels. */
  readonly isReporting: boolean;
}

export interface MapTunnel {
  /** The positions of the hosts at the ends. */
  readonly first: number;
  readonly second: number;
  readonly path: "direct" | "relayed" | "unknown";
  readonly relay: number | null;
}

export interface MapModel {
  readonly hosts: readonly MapHost[];
  /** Lighthouses, relays and routers. */
  readonly infrastructure: readonly MapHost[];
  readonly positions: ReadonlyMap<string, number>;
  readonly tunnels: readonly MapTunnel[];
  readonly routes: readonly MapRoute[];
  readonly map: NetworkMap;
}

const markOf = (statuses: readonly HostStatus[]): Mark =>
  marks.find((mark) => statuses.includes(mark)) ?? "offline";

function readHosts(map: NetworkMap): MapHost[] {
  const { hosts, roleIDs, tags, versions } = map;
  const [lighthouses, relays] = [new Set(map.lighthouses), new Set(map.relays)];
  const routers = new Set(map.routes.map(({ router }) => router));
  const silent = new Set(map.notReporting);
  const valueOf = (values: readonly string[], index: number | null | undefined) =>
    typeof index === "number" ? (values[index] ?? null) : null;
  return hosts.id.map((id, position) => {
    const statuses = map.statuses[hosts.statuses[position] ?? -1] ?? [];
    const [isLighthouse, isRelay] = [lighthouses.has(position), relays.has(position)];
    const infrastructure = isLighthouse
      ? "lighthouse"
      : isRelay
        ? "relay"
        : routers.has(position)
          ? "router"
          : undefined;
    return {
      position,
      id,
      name: hosts.name[position] ?? id,
      ipAddress: hosts.ipAddress[position] ?? "",
      roleID: valueOf(roleIDs, hosts.role[position]),
      tags: (hosts.tags[position] ?? []).flatMap((tag) => tags[tag] ?? []),
      statuses,
      version: valueOf(versions, hosts.version[position]),
      mark: markOf(statuses),
      isLighthouse,
      isRelay,
      infrastructure,
      isReporting: !silent.has(position),
    };
  });
}

function readTunnels({ tunnels }: NetworkMap): MapTunnel[] {
  const { direct, relayed, unknown } = tunnels;
  const read = (
    path: MapTunnel["path"],
    ends: { first: number[]; second: number[][] },
    relays: (number | null)[][] = [],
  ): MapTunnel[] =>
    ends.first.flatMap((first, group) =>
      (ends.second[group] ?? []).map((second, index) => ({
        first,
        second,
        path,
        relay: relays[group]?.[index] ?? null,
      })),
    );
  return [...read("direct", direct), ...read("relayed", relayed, relayed.relay), ...read("unknown", unknown)];
}

export function createMapModel(map: NetworkMap): MapModel {
  const hosts = readHosts(map);
  return {
    hosts,
    infrastructure: hosts.filter((host) => host.infrastructure !== undefined),
    positions: new Map(hosts.map(({ id, position }) => [id, position])),
    tunnels: readTunnels(map),
    routes: map.routes,
    map,
  };
}

export const tunnelFilters = ["all", "direct", "relayed"] as const;
export type TunnelFilter = (typeof tunnelFilters)[number];

export const filterTunnels = (tunnels: readonly MapTunnel[], filter: TunnelFilter): readonly MapTunnel[] =>
  filter === "all" ? tunnels : tunnels.filter(({ path }) => path === filter);

export const tunnelsOf = (tunnels: readonly MapTunnel[], position: number): MapTunnel[] =>
  tunnels.filter(({ first, second }) => first === position || second === position);

export const peerOf = ({ first, second }: MapTunnel, position: number): number =>
  first === position ? second : first;

export function countPaths(tunnels: readonly MapTunnel[]): Record<MapTunnel["path"], number> {
  const counts = { direct: 0, relayed: 0, unknown: 0 };
  for (const { path } of tunnels) counts[path] += 1;
  return counts;
}

/** The hosts whose name, address, tag or role contains the text, ignoring case; undefined without a text. */
export function findMatches(
  hosts: readonly MapHost[],
  search: string,
  roleName: (roleID: string) => string | undefined,
): ReadonlySet<number> | undefined {
  const text = search.trim().toLowerCase();
  if (text === "") return undefined;
  const matches = ({ name, ipAddress, tags, roleID }: MapHost) =>
    [name, ipAddress, ...tags, (roleID && roleName(roleID)) ?? ""].some((value) =>
      value.toLowerCase().includes(text),
    );
  return new Set(hosts.filter(matches).map(({ position }) => position));
}
