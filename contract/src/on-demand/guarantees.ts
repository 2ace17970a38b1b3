/** What must always or never be reachable. A change that breaks a guarantee is rejected, no matter who makes it. */
import * as z from "zod/mini";
import { access, data, endpoint, list } from "../endpoint.ts";
import {
  described,
  Empty,
  id,
  instant,
  multilineText,
  pageQuery,
  replacement,
  searchQuery,
  text,
} from "../fields.ts";
import { PortRange } from "../firewall-rules.ts";
import { DESCRIPTION_LENGTH_MAX, ID_LENGTH_MAX, TARGET_ID_LENGTH_MAX } from "../limits.ts";
import { Counterexample } from "./access.ts";

const noun = "guarantees";

const objectID = z.string().check(z.maxLength(ID_LENGTH_MAX));
const hostSelectors = [
  z.strictObject({ type: z.literal("role"), id: objectID }),
  z.strictObject({ type: z.literal("tag"), id: z.string().check(z.maxLength(TARGET_ID_LENGTH_MAX)) }),
  z.strictObject({ type: z.literal("host"), id: objectID }),
  /** Every host. */
  z.strictObject({ type: z.literal("any") }),
] as const;
export const GuaranteeSource = z.discriminatedUnion("type", hostSelectors);
export type GuaranteeSource = z.output<typeof GuaranteeSource>;
export const GuaranteeDestination = z.discriminatedUnion("type", [
  ...hostSelectors,
  /** Addresses behind a router. */
  z.strictObject({ type: z.literal("subnet"), cidr: z.string().check(z.maxLength(64)) }),
]);
export type GuaranteeDestination = z.output<typeof GuaranteeDestination>;

export const guaranteeTypes = ["MUST_REACH", "MUST_NEVER_REACH"] as const;
export const guaranteeStates = ["failing", "suspended", "holds", "noHosts"] as const;

const editable = {
  type: z.enum(guaranteeTypes),
  source: GuaranteeSource,
  destination: GuaranteeDestination,
  protocol: z.enum(["ANY", "TCP", "UDP", "ICMP"]),
  /** Null for all ports. */
  portRange: z._default(z.optional(z.nullable(PortRange)), null),
  /** Null for all networks. */
  networkID: z._default(z.optional(z.nullable(objectID)), null),
  /** Shown to people whose change is rejected. */
  description: z._default(z.optional(multilineText(0, DESCRIPTION_LENGTH_MAX)), ""),
};

export const Suspension = z.strictObject({ reason: z.string(), until: instant() });

export const Guarantee = z.strictObject({
  id: id("guarantee"),
  type: z.enum(guaranteeTypes),
  source: GuaranteeSource,
  destination: GuaranteeDestination,
  protocol: z.enum(["ANY", "TCP", "UDP", "ICMP"]),
  portRange: z.nullable(z.strictObject({ from: z.number(), to: z.number() })),
  networkID: z.nullable(id("network")),
  description: z.string(),
  suspension: z.nullable(Suspension),
  state: z.enum(guaranteeStates),
  /** When it started to fail; null if it holds. */
  failingSince: z.nullable(instant()),
  /** Pairs of hosts that the guarantee is about, and those that break it. */
  pairCount: z.number(),
  brokenPairCount: z.number(),
  counterexample: z.nullable(Counterexample),
  /** Changes that were rejected in the last 30 days. */
  rejectedChangeCount: z.number(),
  createdAt: instant(),
  modifiedAt: instant(),
});
export type Guarantee = z.output<typeof Guarantee>;

const requirePortsToFit = z.refine<{ protocol: string; portRange: unknown }>(
  ({ protocol, portRange }) => protocol !== "ICMP" || portRange === null,
  { error: "ICMP has no ports", path: ["portRange"] },
);

export const GuaranteeCreate = z.strictObject(editable).check(requirePortsToFit);
export const GuaranteeUpdate = replacement(editable, Guarantee).check(requirePortsToFit);

const errors = ["ERR_INVALID_REFERENCE", "ERR_LIMIT_EXCEEDED"] as const;

/** Every change checks all guarantees. */
export const GUARANTEES_MAX = 200;
export const SUSPENSION_DAYS_MAX = 90;

export const listGuarantees = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/guarantees",
  noun,
  summary: "List guarantees: failing ones first, then suspended ones",
  access: access.scope("guarantees:list"),
  query: z.strictObject({
    ...pageQuery,
    ...searchQuery,
    "filter.state": z.optional(z.enum(guaranteeStates)),
    "filter.networkID": described(z.optional(objectID), "Includes guarantees about all networks."),
  }),
  response: list(Guarantee),
});

export const createGuarantee = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/guarantees",
  noun,
  summary: "Create a guarantee; if it doesn't hold yet, it is saved as failing",
  access: access.scope("guarantees:create"),
  body: GuaranteeCreate,
  response: data(Guarantee),
  errors,
});

/** Evaluates without saving, for a form. */
export const checkGuarantee = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/guarantees/check",
  noun,
  summary: "Check whether a guarantee would hold, without saving it",
  access: { ...access.scope("guarantees:read"), role: "auditor" },
  body: GuaranteeCreate,
  response: data(
    z.strictObject({
      state: z.enum(["failing", "holds", "noHosts"]),
      pairCount: z.number(),
      brokenPairCount: z.number(),
      counterexample: z.nullable(Counterexample),
    }),
  ),
  errors: ["ERR_INVALID_REFERENCE"],
});

export const getGuarantee = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/guarantees/{guaranteeID}",
  noun,
  summary: "Get a guarantee",
  access: access.scope("guarantees:read"),
  response: data(Guarantee),
});

export const updateGuarantee = endpoint({
  extension: true,
  method: "PUT",
  path: "/v1/guarantees/{guaranteeID}",
  noun,
  summary: "Replace a guarantee",
  access: access.scope("guarantees:update"),
  body: GuaranteeUpdate,
  response: data(Guarantee),
  errors,
});

export const deleteGuarantee = endpoint({
  extension: true,
  method: "DELETE",
  path: "/v1/guarantees/{guaranteeID}",
  noun,
  summary: "Delete a guarantee",
  access: access.scope("guarantees:delete"),
  response: data(Empty),
});

export const suspendGuarantee = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/guarantees/{guaranteeID}/suspend",
  noun,
  summary: "Allow changes that break a guarantee until a date",
  access: access.scope("guarantees:update"),
  body: z.strictObject({ reason: text(1, DESCRIPTION_LENGTH_MAX), until: instant() }),
  response: data(Guarantee),
});

export const resumeGuarantee = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/guarantees/{guaranteeID}/resume",
  noun,
  summary: "End the suspension of a guarantee",
  access: access.scope("guarantees:update"),
  response: data(Guarantee),
});
