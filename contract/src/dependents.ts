/** What uses a role or a tag, and what deleting it with `detach=true` changes. */
import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { id } from "./fields.ts";
import { FirewallRule } from "./firewall-rules.ts";

/** `localCIDR` only where the rule is a route's. */
const AnyRule = z.extend(FirewallRule, { localCIDR: z.optional(z.string()) });

const ChangedRule = z.strictObject({
  before: AnyRule,
  /** Null: the rule is removed, because without its last role or tag it would allow any host. */
  after: z.nullable(AnyRule),
});
export type ChangedRule = z.output<typeof ChangedRule>;

const naming = { id: z.string(), name: z.string() };

/** With the rules that change. */
const RuleOwner = z.strictObject({
  type: z.enum(["role", "tag", "route"]),
  ...naming,
  rules: z.array(ChangedRule),
});
export type RuleOwner = z.output<typeof RuleOwner>;

const DependentHost = z.strictObject({
  type: z.enum(["host", "lighthouse", "relay"]),
  ...naming,
  networkID: id("network"),
});

const Dependents = z.strictObject({
  hostCount: z.number(),
  /** The first by name. */
  hosts: z.array(DependentHost),
  /** Rules that name it, not counting its own. */
  ruleCount: z.number(),
  removedRuleCount: z.number(),
  ruleOwnerCount: z.number(),
  /** The first, by type and name. */
  ruleOwners: z.array(RuleOwner),
  /** Devices that people enroll by signing in get it. */
  isUsedForDevices: z.boolean(),
});
export type Dependents = z.output<typeof Dependents>;

export const getRoleDependents = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/roles/{roleID}/dependents",
  noun: "roles",
  summary: "Get what uses a role, and what deleting it with `detach` changes",
  access: access.scope("roles:read", "hosts:list", "tags:read", "routes:read"),
  answer: data(Dependents),
});

export const getTagDependents = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/tags/{tag}/dependents",
  noun: "tags",
  summary: "Get what uses a tag, and what deleting it with `detach` changes",
  access: access.scope("tags:read", "hosts:list", "roles:read", "routes:read"),
  answer: data(Dependents),
});
