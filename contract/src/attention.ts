/** Whether everything is OK: how many hosts are in which state, and what needs attention. */
import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { described, filterQuery, id, instant, query } from "./fields.ts";
import { auditTargetTypes } from "./nouns.ts";

/** Each count is the total of the list of hosts with the same filter. */
export const HostHealth = z.strictObject({
  /** Every host is counted in exactly one of these four. */
  online: z.number(),
  offline: z.number(),
  neverEnrolled: z.number(),
  blocked: z.number(),
  drifted: z.number(),
  expiring: z.number(),
  updateAvailable: z.number(),
});
export type HostHealth = z.output<typeof HostHealth>;

export const attentionTypes = [
  /** Hosts have enrolled, but no lighthouse of their network is online. */
  "NETWORK_WITHOUT_LIGHTHOUSE",
  "GUARANTEE_FAILING",
  /** The CA that signs the certificates of a network expires within 30 days. */
  "CA_EXPIRING",
  /** A CA rotation has been waiting for hosts for more than ten minutes. */
  "ROTATION_WAITING",
  /** Agents renew certificates at half of their lifetime, but these expire within 30 days. */
  "CERTIFICATE_EXPIRING",
  /** Hosts that haven't applied a block two minutes after it. */
  "BLOCK_UNACKNOWLEDGED",
  /** The latest deliveries to a notification channel have failed. */
  "CHANNEL_FAILING",
] as const;
export const attentionSeverities = ["CRITICAL", "WARNING"] as const;

export const ATTENTION_ITEMS_MAX = 100;

export const AttentionItem = z.strictObject({
  type: z.enum(attentionTypes),
  severity: z.enum(attentionSeverities),
  /** What the item is about, the most important object first; at most three hosts. */
  objects: z.array(z.strictObject({ type: z.enum(auditTargetTypes), id: z.string(), name: z.string() })),
  /** The hosts affected. */
  hostCount: z.number(),
  /** Null if it isn't known. */
  since: z.nullable(instant()),
  /** When the CA or the first of the certificates expires. */
  expiresAt: z.nullable(instant()),
});
export type AttentionItem = z.output<typeof AttentionItem>;

export const getAttention = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/attention",
  noun: "attention",
  summary: "Get what needs attention, most important first, and how many hosts are in which state",
  access: access.scope("hosts:list", "networks:list", "guarantees:list"),
  query: z.strictObject(
    filterQuery({
      networkID: described(z.optional(id("network")), "Applies to the items and to the counts."),
      isLighthouse: described(z.optional(query.flag()), "Applies to the counts."),
      isRelay: described(z.optional(query.flag()), "Applies to the counts."),
    }),
  ),
  response: data(
    z.strictObject({
      items: z.array(AttentionItem).check(z.maxLength(ATTENTION_ITEMS_MAX)),
      health: HostHealth,
    }),
  ),
});
