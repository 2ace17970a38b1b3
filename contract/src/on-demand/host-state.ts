import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { id, instant } from "../fields.ts";
import { AccessRule } from "./access.ts";

const RuleSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("role") }),
  z.strictObject({ kind: z.literal("tag"), name: z.string() }),
  z.strictObject({ kind: z.literal("route"), id: z.string() }),
]);

/** A setting or route that can't be part of the host's configuration. */
const OmittedSetting = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("override"),
    key: z.string(),
    source: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("tag"), name: z.string() }),
      z.strictObject({ kind: z.literal("host") }),
    ]),
    /** The reason. */
    sentence: z.string(),
  }),
  z.strictObject({
    kind: z.literal("route"),
    cidr: z.string(),
    reason: z.enum([
      "insideNetwork",
      "servedByItself",
      "routerOutOfReach",
      "alwaysInstalled",
      "oneRouterOnly",
    ]),
  }),
]);

const WiderRule = z.strictObject({
  source: RuleSource,
  /** The rule's position in the source. */
  index: z.number(),
  /** What this version of Nebula would allow beyond the rule. */
  opens: z.enum(["routedNetworks", "routerAndAllRoutedNetworks"]),
});

const Certificate = z.strictObject({
  fingerprint: z.string(),
  notBefore: instant(),
  notAfter: instant(),
  certificateAuthorityID: id("ca"),
  /** The groups in the certificate, which may be outdated; null for old certificates whose groups weren't recorded. */
  groups: z.nullable(z.array(z.string())),
});

/** `hostID` and `hostName` are set for hosts of this network. */
const overlayHost = {
  vpnIp: z.string(),
  hostID: z.optional(id("host")),
  hostName: z.optional(z.string()),
};

const Tunnel = z.strictObject({
  ...overlayHost,
  path: z.nullable(z.enum(["direct", "relayed"])),
  /** The address and port to which packets are sent; null if they are relayed. */
  remoteAddress: z.nullable(z.string()),
  /** Empty if the tunnel is direct. */
  relays: z.array(z.strictObject(overlayHost)),
  handshakeAt: z.nullable(instant()),
  /** The duration of the last handshake, if this host started it. */
  latencyMs: z.nullable(z.number()),
});
export type Tunnel = z.output<typeof Tunnel>;

const System = z.strictObject({ os: z.string(), kernel: z.nullable(z.string()), arch: z.string() });

const ServedRoute = z.strictObject({
  id: id("route"),
  name: z.string(),
  cidrs: z.array(z.string()),
  /** Tags whose hosts use the route. */
  tags: z.array(z.string()),
});
const UsedRoute = z.strictObject({
  id: id("route"),
  name: z.string(),
  cidrs: z.array(z.string()),
  router: z.strictObject(overlayHost),
  /** The tags of the host that give it the route. */
  tags: z.array(z.string()),
});

export const HostState = z.strictObject({
  hostID: id("host"),
  /** The YAML configuration that the host should run, without its certificate and key. */
  config: z.string(),
  /** SHA-256 of `config`, in hex. */
  intendedHash: z.string(),
  /** Equal to `intendedHash` if the host is in sync; null if it hasn't reported. */
  runningHash: z.nullable(z.string()),
  /** The configuration that the host runs, if it differs and is still stored. */
  runningConfig: z.nullable(z.string()),
  /** From the last report; while an update is pending, only the hashes differ. */
  isDrifted: z.boolean(),
  reportedAt: z.nullable(instant()),
  appliedAt: z.nullable(instant()),
  /** The host's error message if it couldn't apply the last configuration. */
  error: z.nullable(z.string()),
  nebulaVersion: z.nullable(z.string()),
  /** The certificate in use. */
  certificate: z.nullable(Certificate),
  /** From the last report. What the agent doesn't report is null. */
  tunnels: z.array(Tunnel),
  system: z.nullable(System),
  /** Addresses to which other hosts send packets for this host, the most recently reported first. */
  publicEndpoints: z.array(z.string()),
  /** The inbound rules of the host: those of its role, of its tags, and of the routes that it serves. */
  rules: z.array(AccessRule),
  routesServed: z.array(ServedRoute),
  routesUsed: z.array(UsedRoute),
  omitted: z.array(OmittedSetting),
  /** Rules that the host's Nebula would widen; unless that's accepted, the host serves no routes. */
  wider: z.array(WiderRule),
});
export type HostState = z.output<typeof HostState>;

export const getHostState = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/hosts/{hostID}/state",
  noun: "host-state",
  summary: "Get the configuration that a host should run and the state it has reported",
  access: access.scope("hosts:read"),
  response: data(HostState),
});
