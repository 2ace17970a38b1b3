/** What a list of changes would open and close. */
import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { id } from "../fields.ts";
import { AccessGroup, AccessHostReference, AccessSubnet, AccessTraffic, BrokenGuarantee } from "./access.ts";

const noun = "access";

/** Traffic that all sources may send to all destinations after the change, or no longer. */
export const AccessChange = z.strictObject({
  networkID: id("network"),
  traffic: z.array(AccessTraffic),
  sources: z.array(AccessGroup),
  sourceCount: z.number(),
  destinations: z.array(AccessGroup),
  destinationCount: z.number(),
  subnets: z.array(AccessSubnet),
  pairCount: z.number(),
});
export type AccessChange = z.output<typeof AccessChange>;

export const ACCESS_CHANGES_MAX = 100;

export const AccessPreview = z.strictObject({
  /** The changes with the most pairs first, up to a limit; the counts are of all. */
  opened: z.array(AccessChange),
  openedPairCount: z.number(),
  closed: z.array(AccessChange),
  closedPairCount: z.number(),
  /** Hosts that get a new configuration. */
  affectedHostCount: z.number(),
  affectedHosts: z.array(AccessHostReference),
  /** Guarantees that the change breaks: the real call fails with ERR_GUARANTEE_VIOLATED. */
  brokenGuarantees: z.array(BrokenGuarantee),
  /** Connections that the caller's own devices lose. */
  ownAccessLost: z.array(
    z.strictObject({
      host: AccessHostReference,
      traffic: z.array(AccessTraffic),
      destinationCount: z.number(),
    }),
  ),
});
export type AccessPreview = z.output<typeof AccessPreview>;

export const getAccessDiff = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/access/diffs/{diffID}",
  noun,
  summary: "Get what a change in the audit log opened and closed",
  access: access.scope("audit-logs:list"),
  response: data(
    z.strictObject({
      opened: z.array(AccessChange),
      closed: z.array(AccessChange),
      affectedHosts: z.array(AccessHostReference),
    }),
  ),
});

export const PREVIEW_MUTATIONS_MAX = 50;

export const previewAccess = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/access/preview",
  noun,
  summary: "Show what a list of changes would open and close, without making them",
  access: access.scope("access:read"),
  body: z.strictObject({
    mutations: z
      .array(
        z.strictObject({
          method: z.enum(["POST", "PUT", "DELETE"]),
          /** The path of a call that accepts `dryRun`, with its query. */
          path: z.string().check(z.maxLength(1024)),
          body: z.optional(z.unknown()),
        }),
      )
      .check(z.minLength(1), z.maxLength(PREVIEW_MUTATIONS_MAX)),
  }),
  response: data(AccessPreview),
  // Those of the mutations.
  errors: [
    "ERR_NOT_FOUND",
    "ERR_DUPLICATE_VALUE",
    "ERR_INVALID_REFERENCE",
    "ERR_HAS_DEPENDENTS",
    "ERR_LIMIT_EXCEEDED",
    "ERR_INVALID_IPV4_CIDR",
    "ERR_NETWORK_FULLY_ALLOCATED",
    "ERR_CERT_VERSION_2_INCOMPATIBLE",
    "ERR_HOST_BLOCKED",
    "ERR_RULES_WIDER",
  ],
});
