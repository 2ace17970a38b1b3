/** Rules that are probably not what their author intended. */
import * as z from "zod/mini";
import { access, data, endpoint } from "../endpoint.ts";
import { FirewallRule, FirewallRuleInputs, RouteFirewallRuleInputs } from "../firewall-rules.ts";
import { ID_LENGTH_MAX, TARGET_ID_LENGTH_MAX } from "../limits.ts";
import { CIDRS_MAX } from "../routes.ts";
import { RuleContent } from "./rule-content.ts";

const noun = "access";

/** Only changes that allow nothing more are suggested. Removing a covered rule changes nothing. */
export const LintFix = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("remove") }),
  z.strictObject({ type: z.literal("replace"), rule: RuleContent }),
]);
export type LintFix = z.output<typeof LintFix>;

const common = {
  /** The rule's position, starting at 0. */
  index: z.number(),
  /** Null if there is no change that is certainly intended. */
  fix: z.nullable(LintFix),
};

export const RuleLint = z.discriminatedUnion("kind", [
  /** No host has the role and all of the tags, in any network, or the rule is for addresses outside of the route's subnets. */
  z.strictObject({
    ...common,
    kind: z.literal("neverMatches"),
    reason: z.enum(["noHost", "outsideSubnets"]),
  }),
  /** Other rules of the same role, tag or route allow the same, together if there are several. */
  z.strictObject({ ...common, kind: z.literal("covered"), by: z.array(z.number()) }),
  /** The rule allows the traffic that its description names, and more. */
  z.strictObject({
    ...common,
    kind: z.literal("broaderThanDescription"),
    named: z.array(
      z.strictObject({ protocol: FirewallRule.shape.protocol, portRange: FirewallRule.shape.portRange }),
    ),
  }),
  /** The rule allows everything from hosts with the tags. */
  z.strictObject({ ...common, kind: z.literal("anyWithTags"), tags: z.array(z.string()) }),
  /** Nebula stores one entry per port on every host. */
  z.strictObject({ ...common, kind: z.literal("manyPorts"), portCount: z.number() }),
]);
export type RuleLint = z.output<typeof RuleLint>;

export const lintRules = endpoint({
  extension: true,
  method: "POST",
  path: "/v1/access/lint",
  noun,
  summary: "Find rules that never match, are redundant or are broader than intended, before they are saved",
  access: { ...access.scope("access:read"), role: "auditor" },
  body: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("role"),
      /** Null for a new role. */
      id: z._default(z.optional(z.nullable(z.string().check(z.maxLength(ID_LENGTH_MAX)))), null),
      firewallRules: FirewallRuleInputs,
    }),
    z.strictObject({
      type: z.literal("tag"),
      /** The tag's name; null for a new tag. */
      id: z._default(z.optional(z.nullable(z.string().check(z.maxLength(TARGET_ID_LENGTH_MAX)))), null),
      firewallRules: FirewallRuleInputs,
    }),
    z.strictObject({
      type: z.literal("route"),
      subnets: z.array(z.string().check(z.maxLength(64))).check(z.maxLength(CIDRS_MAX)),
      firewallRules: RouteFirewallRuleInputs,
    }),
  ]),
  response: data(z.strictObject({ lints: z.array(RuleLint) })),
  errors: ["ERR_INVALID_REFERENCE", "ERR_INVALID_IPV4_CIDR"],
});
