import { ValidationError, type FirewallRule, type RouteFirewallRule } from "@lightkeeper/contract";
import { areSame } from "../lib/same-values.ts";
import { ANY_PORT, formatPorts, parsePorts } from "./port-values.ts";

/** A rule as form values. */
export interface RuleValues {
  protocol: FirewallRule["protocol"];
  /** As typed. */
  ports: string;
  allowedRoleID: string | null;
  allowedTags: string[];
  /** The subnet of a rule of a route. */
  localCIDR: string;
  description: string;
  /** The position among the saved rules; missing for new rules. */
  savedIndex?: number | undefined;
}

/** Form values with rules, named as in the API. */
export interface WithRules {
  firewallRules: RuleValues[];
}

/** The `localCIDR` that stands for all subnets of a route. */
export const ALL_SUBNETS = "0.0.0.0/0";
/** The `localCIDR` that stands for all IPv6 subnets of a route. */
export const ALL_IPV6_SUBNETS = "::/0";

/** Only rules of routes have `localCIDR`. */
type AnyRule = FirewallRule & Partial<Pick<RouteFirewallRule, "localCIDR">>;

/** The ports are empty: the user must say which to allow. */
export const newRule: RuleValues = {
  protocol: "TCP",
  ports: "",
  allowedRoleID: null,
  allowedTags: [],
  localCIDR: ALL_SUBNETS,
  description: "",
};

/** The first rule of a new role or route, so that its hosts can be pinged. */
export const pingRule: RuleValues = { ...newRule, protocol: "ICMP", ports: ANY_PORT };

export const toRuleValues = ({ portRange, ...rule }: AnyRule): RuleValues => ({
  protocol: rule.protocol,
  ports: formatPorts(portRange),
  allowedRoleID: rule.allowedRoleID,
  allowedTags: [...(rule.allowedTags ?? [])],
  localCIDR: rule.localCIDR ?? ALL_SUBNETS,
  description: rule.description,
});

/** The rules of an object that exists. */
export const toSavedRuleValues = (rules: readonly AnyRule[]): RuleValues[] =>
  rules.map((rule, savedIndex) => ({ ...toRuleValues(rule), savedIndex }));

/** Whether two rules say the same, wherever they come from. */
export const isSameRule = (one: RuleValues, other: RuleValues): boolean =>
  areSame({ ...one, savedIndex: undefined }, { ...other, savedIndex: undefined });

/** A rule of an answer about access, which omits what is the default. */
export const toPartialRuleValues = (rule: Partial<AnyRule>): RuleValues =>
  toRuleValues({
    ...rule,
    protocol: rule.protocol ?? "ANY",
    portRange: rule.portRange ?? null,
    allowedRoleID: rule.allowedRoleID ?? null,
    description: rule.description ?? "",
  });

/** The port ranges of a rule: several if a list was typed that isn't split into rules yet. */
export function rangesOf({ protocol, ports }: RuleValues): FirewallRule["portRange"][] {
  const parsed = protocol === "ICMP" ? undefined : parsePorts(ports);
  return parsed && "ranges" in parsed ? parsed.ranges : [null];
}

/** Splits a rule with a list of ports into one rule per port or range. */
export const splitRule = (rule: RuleValues): RuleValues[] =>
  rangesOf(rule).length > 1
    ? rangesOf(rule).map((range, index) => ({
        ...rule,
        ports: formatPorts(range),
        savedIndex: index === 0 ? rule.savedIndex : undefined,
      }))
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
  rules.flatMap((rule) => toRules([rule]).map((apiRule) => ({ ...apiRule, localCIDR: rule.localCIDR })));

/** The problem with the ports of a rule, or undefined if they are valid. */
export function portsProblem({ protocol, ports }: RuleValues): string | undefined {
  const parsed = protocol === "ICMP" ? undefined : parsePorts(ports);
  return parsed && "problem" in parsed ? parsed.problem : undefined;
}

/** A rule that is still being typed allows nothing. */
export const isIncomplete = (rule: RuleValues): boolean => portsProblem(rule) !== undefined;

/** The values without rules that are still being typed, for a preview. */
export const withCompleteRules = <Values extends WithRules>(values: Values): Values => ({
  ...values,
  firewallRules: values.firewallRules.filter((rule) => !isIncomplete(rule)),
});

/** Maps API paths to form fields: `portRange.from` to the ports, a tag to the tags. */
export function mapRuleErrors<E>(error: E): E {
  if (!(error instanceof ValidationError)) return error;
  for (const entry of error.fieldErrors) {
    entry.path = entry.path
      ?.replace(/^(firewallRules\[\d+\])\.portRange(\..*)?$/, "$1.ports")
      .replace(/^(firewallRules\[\d+\]\.allowedTags)\[.*$/, "$1");
  }
  return error;
}
