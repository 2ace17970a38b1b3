import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { id, instant } from "../fields.ts";

/** The waiting hosts that a response lists. */
export const WAITING_HOSTS_MAX = 100;

const WaitingHost = z.strictObject({
  hostID: id("host"),
  hostName: z.string(),
  isOnline: z.boolean(),
  /** Null if the host was never seen. */
  lastSeenAt: z.nullable(instant()),
  /** Whether the host still reports a tunnel to the blocked host. */
  hasTunnel: z.boolean(),
  /** Whether the host runs another configuration than it should. */
  isDrifted: z.boolean(),
});
export type WaitingHost = z.output<typeof WaitingHost>;

const BlockProgress = z.strictObject({
  hostID: id("host"),
  blockedAt: instant(),
  /** The enrolled hosts of the network when the host was blocked. */
  hostCount: z.number(),
  /** Hosts that run a configuration with the block. */
  acknowledgedCount: z.number(),
  /** When half of the hosts had acknowledged the block, in milliseconds after it; null until then. */
  medianDelayMs: z.nullable(z.number()),
  /** Tunnels of the blocked host that were reported when it was blocked. */
  tunnelCount: z.number(),
  closedTunnelCount: z.number(),
  /** Null while hosts are waiting. */
  completedAt: z.nullable(instant()),
  waitingCount: z.number(),
  /** Hosts with a tunnel first, then those that are online. */
  waiting: z.array(WaitingHost),
});
export type BlockProgress = z.output<typeof BlockProgress>;

export const getBlockProgress = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/hosts/{hostID}/block-progress",
  noun: "host-state",
  summary:
    "Get which hosts have acknowledged the block of a host; null if it isn't blocked or wasn't enrolled",
  access: access.scope("hosts:read"),
  response: data(z.nullable(BlockProgress)),
});
