/** Fields of the map of a network, which has one list per property instead of one object per host. */
import { exampleID, type FieldTable } from "../field.ts";

export const mapFields: FieldTable = {
  "data.hosts": ["One list per property, all of the same length and order."],
  "hosts.version": [
    "For each host, the position of its version in `versions`; null if it has never called.",
    [0],
  ],
  "hosts.statuses": ["For each host, the position of its statuses in `statuses`.", [0]],
  "data.roleIDs": ["The roles that hosts refer to.", [exampleID("role")]],
  "data.statuses": ["The combinations of statuses that hosts refer to.", [["online"]]],
  versions: ["The versions of Nebula that hosts refer to.", ["1.11.0"]],
  lighthouses: ["The positions of the lighthouses.", []],
  "data.relays": ["The positions of the relays.", []],
  notReporting: ["The positions of enrolled hosts whose agent doesn't report tunnels.", []],
  "data.routes": ["The routes with a router in this network."],
  router: ["The position of the router.", 0],
  "routes.subnets": ["The subnets behind the router.", ["192.168.10.0/24"]],
  direct: ["Tunnels without a relay."],
  relayed: ["Tunnels through a relay."],
  unknown: ["Tunnels whose path wasn't reported."],
  first: ["For each tunnel, the position of the first host.", []],
  second: ["For each tunnel, the position of the second host.", []],
  relay: ["For each tunnel, the position of the relay; null if it isn't a host of this network.", []],
  isTruncated: ["Whether there are more tunnels than the maximum.", false],
  overview: ["Counts by role and tag, only for a network with more than 20,000 hosts.", null],
  "overview.roles": ["The counts of each role."],
  "overview.tags": ["The counts of each tag."],
  counts: ["The number of hosts in each state."],
  "counts.hosts": ["All hosts.", 200],
  "counts.lighthouses": ["The lighthouses.", 2],
  "counts.relays": ["The relays.", 1],
};
