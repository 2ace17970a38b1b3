/** A network as a picture: its hosts, routes and tunnels. */
import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { id } from "../fields.ts";
import { hostStatuses } from "../host-filters.ts";

/** A network with more hosts has an overview instead. */
export const MAP_HOSTS_MAX = 20_000;
export const MAP_TUNNELS_MAX = 200_000;
export const MAP_ROUTES_MAX = 1000;
export const MAP_OVERVIEW_TAGS_MAX = 1000;

/** The position of a host, or of a value that many hosts share, in its list. */
const position = z.int().check(z.minimum(0));
const positions = z.array(position).check(z.maxLength(MAP_HOSTS_MAX));

/** One list per property, all of the same length and order: this takes a third of the size of one object per host. */
const MapHosts = z.strictObject({
  id: z.array(id("host")),
  name: z.array(z.string()),
  ipAddress: z.array(z.string()),
  /** Positions in `roleIDs`; null for hosts without a role. */
  role: z.array(z.nullable(position)),
  /** Positions in `tags`. */
  tags: z.array(z.array(position)),
  /** Positions in `statuses`. */
  statuses: positions,
  /** Positions in `versions`; null for hosts that have never called. */
  version: z.array(z.nullable(position)),
});

/** Each tunnel is listed once, with its end that has the lower position. A pair for each would repeat that end. */
const ends = {
  /** Hosts with tunnels, each once. */
  first: positions,
  /** For each of them, the hosts at the other end. */
  second: z.array(positions),
};

/** The tunnels that either end has reported, between hosts that are online. */
const MapTunnels = z.strictObject({
  direct: z.strictObject(ends),
  relayed: z.strictObject({
    ...ends,
    /** For each of `second`, the relay; null if it isn't a host of this network. */
    relay: z.array(z.array(z.nullable(position))),
  }),
  /** Older agents don't report the path. */
  unknown: z.strictObject(ends),
  /** There are more tunnels than the maximum. */
  isTruncated: z.boolean(),
});

const MapRoute = z.strictObject({
  id: id("route"),
  name: z.string(),
  /** The position of the router. */
  router: position,
  subnets: z.array(z.string()),
});
export type MapRoute = z.output<typeof MapRoute>;

const HostCounts = z.strictObject({
  hosts: z.number(),
  lighthouses: z.number(),
  relays: z.number(),
  online: z.number(),
  offline: z.number(),
  neverEnrolled: z.number(),
  blocked: z.number(),
  drifted: z.number(),
});
export type MapHostCounts = z.output<typeof HostCounts>;

export const NetworkMap = z.strictObject({
  networkID: id("network"),
  hostCount: z.number(),
  /** The distinct values that hosts refer to. */
  roleIDs: z.array(id("role")),
  tags: z.array(z.string()),
  statuses: z.array(z.array(z.enum(hostStatuses))),
  versions: z.array(z.string()),
  hosts: MapHosts,
  lighthouses: positions,
  relays: positions,
  /** Enrolled hosts whose agent doesn't report tunnels. */
  notReporting: positions,
  routes: z.array(MapRoute).check(z.maxLength(MAP_ROUTES_MAX)),
  tunnels: MapTunnels,
  /** Only for a network with more than the maximum of hosts, whose lists are empty. */
  overview: z.nullable(
    z.strictObject({
      roles: z.array(z.strictObject({ roleID: z.nullable(id("role")), counts: HostCounts })),
      tags: z
        .array(z.strictObject({ tag: z.string(), counts: HostCounts }))
        .check(z.maxLength(MAP_OVERVIEW_TAGS_MAX)),
    }),
  ),
});
export type NetworkMap = z.output<typeof NetworkMap>;

export const getNetworkMap = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/networks/{networkID}/map",
  noun: "hosts",
  summary: "Get all hosts of a network with their routes and tunnels",
  access: access.scope("hosts:list", "routes:list"),
  response: data(NetworkMap),
});
