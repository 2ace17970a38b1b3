import * as z from "zod/mini";
import { MINUTE_SECONDS } from "../durations.ts";
import { access, data, endpoint } from "../endpoint.ts";
import { id, instant } from "../fields.ts";

export const TRAFFIC_BUCKETS = 96;
export const TRAFFIC_BUCKET_SECONDS = 15 * MINUTE_SECONDS;

/** Bytes per bucket, the oldest first; null while the host reported nothing. */
const Buckets = z.array(z.nullable(z.number()));

const HostTraffic = z.strictObject({
  hostID: id("host"),
  /** When the first bucket starts. */
  startsAt: instant(),
  bucketSeconds: z.number(),
  receivedBytes: Buckets,
  sentBytes: Buckets,
  /** Null if the host has never reported its traffic. */
  reportedAt: z.nullable(instant()),
});
export type HostTraffic = z.output<typeof HostTraffic>;

export const getHostTraffic = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/hosts/{hostID}/traffic",
  noun: "host-state",
  summary: "Get the traffic of a host's overlay interface in the last 24 hours",
  access: access.scope("hosts:read"),
  response: data(HostTraffic),
});
