/** Maps of any size, with tunnels and a route. */
import type { HostStatus, NetworkMap } from "@lightkeeper/contract";
import { network, role } from "./samples.ts";

export const mapHostID = (index: number): string =>
  `host-${index
    .toString(32)
    .toUpperCase()
    .replace(/[0189]/g, (digit) => "WXYZ"["0189".indexOf(digit)] ?? "")
    .padStart(26, "A")}`;

const SITES = ["fra", "lon", "nyc", "sin"];

interface MapOptions {
  hosts: number;
  /** The number of sites; hosts are distributed evenly. */
  sites?: number;
  changes?: Partial<NetworkMap>;
}

const statuses: HostStatus[][] = [
  ["online"],
  ["offline"],
  ["neverEnrolled"],
  ["blocked"],
  ["online", "drifted"],
];

/** Host 0 is a lighthouse, host 1 a relay and host 2 a router. Most others are online. */
export function createNetworkMap({ hosts, sites = 4, changes = {} }: MapOptions): NetworkMap {
  const positions = Array.from({ length: hosts }, (_, position) => position);
  const has = (position: number) => (position < hosts ? [position] : []);
  const tunnels = positions.filter((position) => position + 3 < hosts && position % 2 === 0);
  return {
    networkID: network.id,
    hostCount: hosts,
    roleIDs: [role.id],
    tags: Array.from({ length: sites }, (_, site) => `site:${SITES[site] ?? site}`),
    statuses,
    versions: ["1.2.3"],
    hosts: {
      id: positions.map(mapHostID),
      name: positions.map((position) => `host-${String(position).padStart(3, "0")}`),
      ipAddress: positions.map((position) => `10.0.${Math.floor(position / 250)}.${(position % 250) + 1}`),
      role: positions.map((position) => (position % 3 === 0 ? null : 0)),
      tags: positions.map((position) => [position % sites]),
      statuses: positions.map((position) => (position % 25 < 5 && position > 4 ? position % 25 : 0)),
      version: positions.map(() => 0),
    },
    lighthouses: has(0),
    relays: has(1),
    notReporting: has(3),
    routes:
      hosts > 2
        ? [{ id: `route-${"A".repeat(26)}`, name: "Office", router: 2, subnets: ["10.9.0.0/16"] }]
        : [],
    tunnels: {
      direct: { first: tunnels, second: tunnels.map((position) => [position + 3]) },
      relayed: hosts > 6 ? { first: [3], second: [[6]], relay: [[1]] } : { first: [], second: [], relay: [] },
      unknown: { first: [], second: [] },
      isTruncated: false,
    },
    overview: null,
    ...changes,
  };
}
