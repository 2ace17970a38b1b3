/** One list of tunnels from the reports of both ends. */
import { MAP_TUNNELS_MAX, type NetworkMap } from "@lightkeeper/contract";
import type { MapHostRow, ReportedPath } from "./map.queries.ts";

interface MergedTunnel {
  first: number;
  second: number;
  path: "direct" | "relayed" | "unknown";
  relay: number | null;
  reportedAt: number;
}

const pathOf = ([, isDirect, relay]: ReportedPath): MergedTunnel["path"] => {
  if (isDirect) return "direct";
  return relay === null ? "unknown" : "relayed";
};

/** A path that is known wins, then the one that was reported later. */
const isBetter = (tunnel: MergedTunnel, previous: MergedTunnel | undefined) =>
  previous === undefined ||
  (previous.path === "unknown") > (tunnel.path === "unknown") ||
  ((previous.path === "unknown") === (tunnel.path === "unknown") && tunnel.reportedAt > previous.reportedAt);

/** Only hosts that are online have `paths`; a tunnel to any other host isn't listed. */
export function mergeTunnels(hosts: readonly MapHostRow[]): NetworkMap["tunnels"] {
  const positions = new Map(hosts.map(({ ip_address }, position) => [ip_address, position]));
  const merged = new Map<number, MergedTunnel>();
  let isTruncated = false;
  for (const [position, { paths, reported_at }] of hosts.entries()) {
    for (const reported of paths ?? []) {
      const [vpnIp, , relay] = reported;
      const peer = positions.get(vpnIp);
      if (peer === undefined || peer === position || !isConnected(hosts[peer])) continue;
      const [first, second] = [Math.min(position, peer), Math.max(position, peer)];
      const key = first * hosts.length + second;
      const tunnel: MergedTunnel = {
        first,
        second,
        path: pathOf(reported),
        relay: relay === null ? null : (positions.get(relay) ?? null),
        reportedAt: reported_at?.getTime() ?? 0,
      };
      const previous = merged.get(key);
      if (previous === undefined && merged.size >= MAP_TUNNELS_MAX) isTruncated = true;
      else if (isBetter(tunnel, previous)) merged.set(key, tunnel);
    }
  }
  return { ...toColumns(merged), isTruncated };
}

const isConnected = (host: MapHostRow | undefined) => host?.statuses.includes("online") === true;

function toColumns(merged: ReadonlyMap<number, MergedTunnel>): Omit<NetworkMap["tunnels"], "isTruncated"> {
  const sorted = [...merged].toSorted(([one], [other]) => one - other).map(([, tunnel]) => tunnel);
  const pairsOf = (path: MergedTunnel["path"]) => {
    const tunnels = sorted.filter((tunnel) => tunnel.path === path);
    return {
      first: tunnels.map(({ first }) => first),
      second: tunnels.map(({ second }) => second),
      relay: tunnels.map(({ relay }) => relay),
    };
  };
  const [direct, relayed, unknown] = [pairsOf("direct"), pairsOf("relayed"), pairsOf("unknown")];
  return {
    direct: { first: direct.first, second: direct.second },
    relayed,
    unknown: { first: unknown.first, second: unknown.second },
  };
}
