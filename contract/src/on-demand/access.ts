/** Who reaches whom. The answers are computed from the rules, and don't depend on which hosts are online. */
import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { described, id, instant, query } from "../fields.ts";
import { ID_LENGTH_MAX, PORT_MAX, SEARCH_LENGTH_MAX } from "../limits.ts";
import { TagNames } from "../tag-names.ts";
import { RuleContent } from "./rule-content.ts";

const noun = "access";

const objectID = z.string().check(z.maxLength(ID_LENGTH_MAX));
const PORT_MESSAGE = `must be between 1 and ${PORT_MAX}`;
const port = z.int(PORT_MESSAGE).check(z.minimum(1, PORT_MESSAGE), z.maximum(PORT_MAX, PORT_MESSAGE));

export const trafficProtocols = ["TCP", "UDP", "ICMP", "OTHER"] as const;

/** The first packets of connections: replies are always allowed. OTHER is every protocol that only rules for any protocol allow. */
export const AccessTraffic = z.strictObject({
  protocol: z.enum(trafficProtocols),
  /** Null for all ports, and for protocols without ports. */
  portRange: z.nullable(z.strictObject({ from: z.number(), to: z.number() })),
  /** Only later fragments of large packets, which have no port and match rules for all ports. */
  fragmentsOnly: z.optional(z.literal(true)),
});
export type AccessTraffic = z.output<typeof AccessTraffic>;

export const AccessHostReference = z.strictObject({
  id: id("host"),
  name: z.string(),
  ipAddress: z.string(),
});
export type AccessHostReference = z.output<typeof AccessHostReference>;

/** A rule, and the role, tag or route that contains it. */
export const AccessRule = z.strictObject({
  source: z.strictObject({
    type: z.enum(["role", "tag", "route"]),
    /** A tag's name, for tags. */
    id: z.string(),
    name: z.string(),
  }),
  /** The rule's position in the source, starting at 0. */
  index: z.number(),
  rule: RuleContent,
});
export type AccessRule = z.output<typeof AccessRule>;

/** Hosts that the rules can't tell apart: the same role, the same tags that a rule or route mentions, and the same state. */
export const AccessGroup = z.strictObject({
  role: z.nullable(z.strictObject({ id: id("role"), name: z.string() })),
  tags: z.array(z.string()),
  hostCount: z.number(),
  /** The first hosts by name; those that can't connect, such as blocked ones, come last. */
  hosts: z.array(AccessHostReference),
});
export type AccessGroup = z.output<typeof AccessGroup>;

/** The first check that fails. */
export const accessChecks = [
  "notEnrolled",
  "blocked",
  "expired",
  "untrustedCa",
  "sameHost",
  "otherNetwork",
  "unknownAddress",
  "noRoute",
  "noCommonFamily",
  "notServed",
  "noRule",
] as const;
export const FailedAccessCheck = z.strictObject({
  kind: z.enum(accessChecks),
  /** The host that fails the check, if it is one host's. */
  host: z.nullable(AccessHostReference),
});
export type FailedAccessCheck = z.output<typeof FailedAccessCheck>;

/** A host, or all hosts of a network with a role and all of the tags. A role of null means any role, as in rules. */
const AccessSource = z.union([
  z.strictObject({ hostID: objectID }),
  z.strictObject({
    networkID: objectID,
    roleID: z.nullable(objectID),
    tags: z._default(z.optional(TagNames), []),
  }),
]);
/** A host, hosts with a role and tags in the network of the source, or an address behind a route. */
const AccessDestination = z.union([
  z.strictObject({ hostID: objectID }),
  z.strictObject({ roleID: z.nullable(objectID), tags: z._default(z.optional(TagNames), []) }),
  z.strictObject({ address: z.string().check(z.maxLength(64)) }),
]);

/** One connection that is allowed or denied, as an example for all. */
export const AccessExample = z.strictObject({
  source: AccessHostReference,
  destination: z.strictObject({ host: z.nullable(AccessHostReference), address: z.string() }),
  isAllowed: z.boolean(),
  failedCheck: z.nullable(FailedAccessCheck),
  /** The host whose rules decide: the destination, or the router in front of the address. */
  decidingHost: z.nullable(AccessHostReference),
  /** The number of rules that the deciding host has. */
  ruleCount: z.number(),
  route: z.nullable(z.strictObject({ subnet: z.string(), routers: z.array(AccessHostReference) })),
  /** All rules that allow the connection: removing one of several closes nothing. */
  rules: z.array(AccessRule),
  /** The rule that would allow the connection and as little else as possible, if a rule is all that is missing. */
  smallestRule: z.nullable(
    z.strictObject({
      /** Where the rule has to be added. */
      target: AccessRule.shape.source,
      rule: AccessRule.shape.rule,
      /** How many hosts the rule would allow, and on how many. */
      sourceCount: z.number(),
      destinationCount: z.number(),
    }),
  ),
  /** Whether both hosts run the newest configuration; null if one of them hasn't reported any. */
  isInSync: z.nullable(z.boolean()),
  certificateExpiresAt: z.nullable(instant()),
});
export type AccessExample = z.output<typeof AccessExample>;

export const AccessAnswer = z.strictObject({
  answer: z.enum(["all", "some", "none"]),
  pairCount: z.number(),
  allowedPairCount: z.number(),
  /** A pair of hosts; if the answer is "some", a pair that can't connect. Null without hosts. */
  example: z.nullable(AccessExample),
  /** Everything that the first source may send to the first destination, whatever was asked. */
  traffic: z.array(AccessTraffic),
  revision: z.number(),
});
export type AccessAnswer = z.output<typeof AccessAnswer>;

export const checkAccess = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/access/check",
  noun,
  summary: "Check whether hosts can open a connection, and why",
  access: { ...access.scope("access:read"), role: "auditor" },
  body: z
    .strictObject({
      source: AccessSource,
      destination: AccessDestination,
      protocol: z.enum(["TCP", "UDP", "ICMP"]),
      /** Required for TCP and UDP. */
      port: z._default(z.optional(z.nullable(port)), null),
    })
    .check(
      z.refine(({ protocol, port: given }) => (protocol === "ICMP") === (given === null), {
        error: "TCP and UDP require a port, and ICMP has none",
        path: ["port"],
      }),
    ),
  response: data(AccessAnswer),
  errors: ["ERR_INVALID_REFERENCE"],
});

const Reach = z.strictObject({
  group: AccessGroup,
  traffic: z.array(AccessTraffic),
  rules: z.array(AccessRule),
});

/** A subnet, without the parts that are treated differently. */
export const AccessSubnet = z.strictObject({ cidr: z.string(), except: z.array(z.string()) });

export const HostAccess = z.strictObject({
  host: AccessHostReference,
  networkID: id("network"),
  /** Why the host can't have a tunnel to any other; null if it can. */
  failedCheck: z.nullable(FailedAccessCheck),
  /** The largest groups first; counts are of all groups that match the search. */
  inbound: z.array(Reach),
  inboundGroupCount: z.number(),
  inboundHostCount: z.number(),
  outbound: z.array(Reach),
  outboundGroupCount: z.number(),
  outboundHostCount: z.number(),
  subnets: z.array(
    z.strictObject({ subnet: AccessSubnet, traffic: z.array(AccessTraffic), rules: z.array(AccessRule) }),
  ),
  /** What someone who controls this host can reach, also through subnets behind routers. */
  blastRadius: z.strictObject({ hostCount: z.number(), subnetCount: z.number() }),
  revision: z.number(),
});
export type HostAccess = z.output<typeof HostAccess>;

export const HOST_ACCESS_GROUPS_MAX = 200;

export const getHostAccess = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/hosts/{hostID}/access",
  noun,
  summary: "List who can reach a host, and whom it can reach",
  access: access.scope("access:read"),
  query: z.strictObject({
    "filter.search": described(
      z.optional(z.string().check(z.maxLength(SEARCH_LENGTH_MAX))),
      "Part of a host's, role's or tag's name, a protocol or a port.",
    ),
  }),
  response: data(HostAccess),
});

export const matrixDetails = ["roles", "groups", "hosts"] as const;
export const MATRIX_ROWS_MAX = 300;
/** With one row per host. */
export const MATRIX_HOSTS_MAX = 50;

/** Rows reach columns: the groups in order, followed by the subnets, which are only columns. */
export const AccessMatrix = z.strictObject({
  hostCount: z.number(),
  detail: z.enum(matrixDetails),
  groups: z.array(AccessGroup),
  /** The number of groups without the limit of rows. */
  groupCount: z.number(),
  subnets: z.array(AccessSubnet),
  /** Every distinct set of traffic, which cells refer to by position. */
  traffic: z.array(z.array(AccessTraffic)),
  /** Pairs with access. `isPartial`: only some hosts of the groups have it. */
  cells: z.array(
    z.strictObject({
      source: z.number(),
      destination: z.number(),
      traffic: z.number(),
      isPartial: z.boolean(),
    }),
  ),
  revision: z.number(),
});
export type AccessMatrix = z.output<typeof AccessMatrix>;

export const getAccessMatrix = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/networks/{networkID}/access-matrix",
  noun,
  summary: "Show which groups of hosts reach which others",
  access: access.scope("access:read"),
  query: z.strictObject({
    detail: described(
      z._default(z.optional(z.enum(matrixDetails)), "groups"),
      "One row per role, per role and relevant tags, or per host.",
    ),
    "filter.search": z.optional(z.string().check(z.maxLength(SEARCH_LENGTH_MAX))),
    "filter.tag": z.optional(z.string().check(z.maxLength(SEARCH_LENGTH_MAX))),
    "filter.port": z.optional(query.whole(1, PORT_MAX)),
  }),
  response: data(AccessMatrix),
});

/** A pair of hosts that breaks a guarantee. */
export const Counterexample = z.strictObject({
  source: AccessHostReference,
  destination: z.strictObject({ host: z.nullable(AccessHostReference), address: z.string() }),
  traffic: AccessTraffic,
  /** The rule that allows the connection; null if the guarantee requires a connection that no rule allows. */
  rule: z.nullable(AccessRule),
});
export type Counterexample = z.output<typeof Counterexample>;

export const BrokenGuarantee = z.strictObject({
  id: id("guarantee"),
  description: z.string(),
  counterexample: Counterexample,
});
export type BrokenGuarantee = z.output<typeof BrokenGuarantee>;
