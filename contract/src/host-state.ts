import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { id, instant } from "./fields.ts";

const RuleSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("role") }),
  z.strictObject({ kind: z.literal("tag"), name: z.string() }),
  z.strictObject({ kind: z.literal("route"), id: z.string() }),
]);

/** What was asked for and does not stand in the configuration, or stands there for more than it says. */
const LeftOut = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("override"),
    key: z.string(),
    source: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("tag"), name: z.string() }),
      z.strictObject({ kind: z.literal("host") }),
    ]),
    /** What is wrong with it, in words. */
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
  /** Which of the source's rules. */
  index: z.number(),
  /** What this version of Nebula would open beyond what the rule says. */
  opens: z.enum(["routedNetworks", "routerAndAllRoutedNetworks"]),
});

const Certificate = z.strictObject({
  fingerprint: z.string(),
  notBefore: instant(),
  notAfter: instant(),
  certificateAuthorityID: id("ca"),
  /** What it says the host is, which need not be what it is by now; null of an old one of which nobody knows. */
  groups: z.nullable(z.array(z.string())),
});

export const HostState = z.strictObject({
  hostID: id("host"),
  /** YAML, as the host is to run it, without its certificate and its key. */
  config: z.string(),
  /** SHA-256 of `config`, hex. */
  intendedHash: z.string(),
  /** Equal to `intendedHash` where the host runs just that; null where it does not tell. */
  runningHash: z.nullable(z.string()),
  /** What it runs, where that is something else and the text is still known. */
  runningConfig: z.nullable(z.string()),
  /** As of its last report: until then a change is on its way, and only the hashes differ. */
  isDrifted: z.boolean(),
  reportedAt: z.nullable(instant()),
  appliedAt: z.nullable(instant()),
  /** Why it could not apply the last configuration, in the host's own words. */
  error: z.nullable(z.string()),
  nebulaVersion: z.nullable(z.string()),
  /** The one in use. */
  certificate: z.nullable(Certificate),
  /** As of its last report; of those to hosts of this network it is known to whom. */
  tunnels: z.array(
    z.strictObject({ vpnIp: z.string(), hostID: z.optional(id("host")), hostName: z.optional(z.string()) }),
  ),
  omitted: z.array(LeftOut),
  /** Rules that its Nebula would take for wider than they are; unless that was accepted, it serves no routes. */
  wider: z.array(WiderRule),
});
export type HostState = z.output<typeof HostState>;

export const getHostState = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/hosts/{hostID}/state",
  noun: "hosts",
  summary: "What a host should run, and what it says it runs",
  access: access.scope("hosts:read"),
  answer: data(HostState),
});
