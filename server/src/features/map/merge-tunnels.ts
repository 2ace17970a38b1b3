/** One list of tunnels from the reports of both ends. */
import { MAP_TUNNELS_MAX, type NetworkMap } from "@lightkeeper/contract";
import { addressesOf } from "../../nouns/hosts/host-addresses.ts";
import type { MapHostRow } from "./map.queries.ts";

interface MergedTunnel {
  first: number;
  second: number;
  path: "direct" | "relayed" | "unknown";
  relay: number | null;
  reportedAt: number;
}

interface ReportedTunnel {
  vpnIp: string;
  path: MergedTunnel["path"];
  relay: string;
}

/** Reads the text of `listMapHosts`. */
function readTunnel(text: string): ReportedTunnel {
  const space = text.indexOf(" ");
  if (space < 0) return { vpnIp: text, path: "direct", relay: "" };
  const relay = text.slice(space + 1);
  return { vpnIp: text.slice(0, space), path: relay === "" ? "unknown" : "relayed", relay };
}

/** A path that is known wins, then the one that was reported later. */
const isBetter = (tunnel: MergedTunnel, previous: MergedTunnel | undefined) =>
  previous === undefined ||
  (previous.path === "unknown") > (tunnel.path === "unknown") ||
  ((previous.path === "unknown") === (tunnel.path === "unknown") && tunnel.reportedAt > previous.reportedAt);

/** Only hosts that are online have `paths`; a tunnel to any other host isn't listed. */
export function mergeTunnels(hosts: readonly MapHostRow[]): NetworkMap["tunnels"] {
  const positions = new Map(
    hosts.flatMap((host, position) => addressesOf(host).map((address) => [address, position] as const)),
  );
  const merged = new Map<number, MergedTunnel>();
  let isTruncated = false;
  for (const [position, { paths, reported_at }] of hosts.entries()) {
    for (const text of paths?.split(",") ?? []) {
      const { vpnIp, path, relay } = readTunnel(text);
      const peer = positions.get(vpnIp);
      if (peer === undefined || peer === position || !isConnected(hosts[peer])) continue;
      const [first, second] = [Math.min(position, peer), Math.max(position, peer)];
      const key = first * hosts.length + second;
      const tunnel: MergedTunnel = {
        first,
        second,
        path,
        relay: positions.get(relay) ?? null,
        reportedAt: reported_at ?? 0,
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
  const endsOf = (path: MergedTunnel["path"]) => {
    const byFirst = new Map<number, MergedTunnel[]>();
    for (const tunnel of merged.values()) {
      if (tunnel.path !== path) continue;
      const group = byFirst.get(tunnel.first);
      if (group) group.push(tunnel);
      else byFirst.set(tunnel.first, [tunnel]);
    }
    const groups = [...byFirst.values()];
    return {
      first: [...byFirst.keys()],
      second: groups.map((tunnels) => tunnels.map(({ second }) => second)),
      relay: groups.map((tunnels) => tunnels.map(({ relay }) => relay)),
    };
  };
  const [direct, relayed, unknown] = [endsOf("direct"), endsOf("relayed"), endsOf("unknown")];
  return {
    direct: { first: direct.first, second: direct.second },
    relayed,
    unknown: { first: unknown.first, second: unknown.second },
  };
}
