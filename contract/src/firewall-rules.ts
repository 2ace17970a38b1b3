import * as z from "zod/mini";
import { id, multilineText } from "./fields.ts";
import { DESCRIPTION_LENGTH_MAX, ID_LENGTH_MAX, PORT_MAX } from "./limits.ts";
import { TagNames } from "./tag-names.ts";

const protocols = ["ANY", "TCP", "UDP", "ICMP"] as const;

const PORT_MESSAGE = `must be between 1 and ${PORT_MAX}`;
const port = z.int(PORT_MESSAGE).check(z.minimum(1, PORT_MESSAGE), z.maximum(PORT_MAX, PORT_MESSAGE));

export const PortRange = z
  .strictObject({ from: port, to: port })
  .check(z.refine(({ from, to }) => from <= to, { error: "from must be less than or equal to to" }));

const inputs = {
  protocol: z.enum(protocols, { error: "must be a valid protocol: ANY, TCP, UDP, ICMP" }),
  description: z._default(z.optional(multilineText(0, DESCRIPTION_LENGTH_MAX)), ""),
  allowedRoleID: z._default(z.optional(z.nullable(z.string().check(z.maxLength(ID_LENGTH_MAX)))), null),
  allowedTags: z.optional(TagNames),
  portRange: z._default(z.optional(z.nullable(PortRange)), null),
};

/** An inbound rule. A source must have the role and all tags; traffic is allowed if any rule matches. */
const FirewallRuleInput = z.strictObject(inputs);
const RouteFirewallRuleInput = z.strictObject({
  ...inputs,
  localCIDR: z._default(z.optional(z.string().check(z.maxLength(64))), "0.0.0.0/0"),
});

const outputs = {
  protocol: z.enum(protocols),
  description: z.string(),
  allowedRoleID: z.nullable(id("role")),
  /** Missing if the client didn't send it: clients compare a rule with the one they sent. */
  allowedTags: z.optional(z.array(z.string())),
  portRange: z.nullable(z.strictObject({ from: z.number(), to: z.number() })),
};
export const FirewallRule = z.strictObject(outputs);
export type FirewallRule = z.output<typeof FirewallRule>;
export const RouteFirewallRule = z.strictObject({ ...outputs, localCIDR: z.string() });
export type RouteFirewallRule = z.output<typeof RouteFirewallRule>;

const RULES_MAX = 200;
export const FirewallRuleInputs = z.array(FirewallRuleInput).check(z.maxLength(RULES_MAX));
export const RouteFirewallRuleInputs = z.array(RouteFirewallRuleInput).check(z.maxLength(RULES_MAX));
