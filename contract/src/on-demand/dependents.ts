/** What uses a role or a tag, and what deleting it with `detach=true` changes. */
import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { id } from "../fields.ts";
import { FirewallRule } from "../firewall-rules.ts";

/** Only rules of routes have `localCIDR`. */
const AnyRule = z.extend(FirewallRule, { localCIDR: z.optional(z.string()) });

const ChangedRule = z.strictObject({
  before: AnyRule,
  /** Null: the rule is removed, because without its last role or tag it would allow any host. */
  after: z.nullable(AnyRule),
});
export type ChangedRule = z.output<typeof ChangedRule>;

const identity = { id: z.string(), name: z.string() };

/** A role, tag or route, with its rules that change. */
const RuleOwner = z.strictObject({
  type: z.enum(["role", "tag", "route"]),
  ...identity,
  rules: z.array(ChangedRule),
});
export type RuleOwner = z.output<typeof RuleOwner>;

const DependentHost = z.strictObject({
  type: z.enum(["host", "lighthouse", "relay"]),
  ...identity,
  networkID: id("network"),
});

const Dependents = z.strictObject({
  hostCount: z.number(),
  /** The first hosts by name. */
  hosts: z.array(DependentHost),
  /** Rules of other objects that refer to the role or tag. */
  ruleCount: z.number(),
  removedRuleCount: z.number(),
  ruleOwnerCount: z.number(),
  /** The first owners, by type and name. */
  ruleOwners: z.array(RuleOwner),
  /** Whether devices enrolled with single sign-on get the role or tag. */
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
  response: data(Dependents),
});

export const getTagDependents = endpoint({
  extension: true,
  method: "GET",
  path: "/v1/tags/{tag}/dependents",
  noun: "tags",
  summary: "Get what uses a tag, and what deleting it with `detach` changes",
  access: access.scope("tags:read", "hosts:list", "roles:read", "routes:read"),
  response: data(Dependents),
});
