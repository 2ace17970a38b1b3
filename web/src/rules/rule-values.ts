import { ValidationError, type FirewallRule, type RouteFirewallRule } from "@lightkeeper/contract";
import { ANY_PORT, formatPorts, parsePorts } from "./ports.ts";

/** A rule as its fields hold it. */
export interface RuleValues {
  protocol: FirewallRule["protocol"];
  /** As it was typed. */
  ports: string;
  allowedRoleID: string | null;
  allowedTags: string[];
  /** Of a route's rule: the network behind it. */
  localCIDR: string;
  description: string;
}

/** Every form with rules calls them this, as the API does. */
export interface WithRules {
  firewallRules: RuleValues[];
}

/** All of a route's networks. */
export const EVERY_NETWORK = "0.0.0.0/0";

/** `localCIDR` only where the rule is a route's. */
type AnyRule = FirewallRule & Partial<Pick<RouteFirewallRule, "localCIDR">>;

/** Ports stay empty: which are opened is said, never assumed. */
export const newRule: RuleValues = {
  protocol: "TCP",
  ports: "",
  allowedRoleID: null,
  allowedTags: [],
  localCIDR: EVERY_NETWORK,
  description: "",
};

/** What a new role or route starts with: it can be seen to be there. */
export const pingRule: RuleValues = { ...newRule, protocol: "ICMP", ports: ANY_PORT };

export const toRuleValues = ({ portRange, ...rule }: AnyRule): RuleValues => ({
  protocol: rule.protocol,
  ports: formatPorts(portRange),
  allowedRoleID: rule.allowedRoleID,
  allowedTags: [...(rule.allowedTags ?? [])],
  localCIDR: rule.localCIDR ?? EVERY_NETWORK,
  description: rule.description,
});

/** The ports of a rule: several while a list of them has been typed and not yet become several rules. */
export function rangesOf({ protocol, ports }: RuleValues): FirewallRule["portRange"][] {
  const parsed = protocol === "ICMP" ? undefined : parsePorts(ports);
  return parsed && "ranges" in parsed ? parsed.ranges : [null];
}

/** One rule for each port or range of the list. */
export const splitRule = (rule: RuleValues): RuleValues[] =>
  rangesOf(rule).length > 1
    ? rangesOf(rule).map((range) => ({ ...rule, ports: formatPorts(range) }))
    : [rule];

export const toRules = (rules: readonly RuleValues[]): FirewallRule[] =>
  rules.flatMap((rule) =>
    rangesOf(rule).map((portRange) => ({
      protocol: rule.protocol,
      portRange,
      allowedRoleID: rule.allowedRoleID,
      allowedTags: rule.allowedTags,
      description: rule.description.trim(),
    })),
  );

export const toRouteRules = (rules: readonly RuleValues[]): RouteFirewallRule[] =>
  rules.flatMap((rule) => toRules([rule]).map((made) => ({ ...made, localCIDR: rule.localCIDR })));

/** What is wrong with the ports, before the server is asked. */
export function portsFault({ protocol, ports }: RuleValues): string | undefined {
  const parsed = protocol === "ICMP" ? undefined : parsePorts(ports);
  return parsed && "fault" in parsed ? parsed.fault : undefined;
}

/** The fields are fewer than what the API names: `portRange.from` is in the ports, each tag in the tags. */
export function placeRuleErrors<E>(error: E): E {
  if (!(error instanceof ValidationError)) return error;
  for (const entry of error.fieldErrors) {
    entry.path = entry.path
      ?.replace(/^(firewallRules\[\d+\])\.portRange(\..*)?$/, "$1.ports")
      .replace(/^(firewallRules\[\d+\]\.allowedTags)\[.*$/, "$1");
  }
  return error;
}
