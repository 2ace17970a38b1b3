// Finds rules that are probably not what their author intended.

import type { RouteFirewallRule } from "../firewall.ts";
import { findNamedTraffic } from "./described-traffic.ts";
import type { NamedTraffic } from "./described-traffic.ts";
import type { AccessNetwork } from "./network.ts";
import { hasPeers } from "./peers.ts";
import { coversTraffic, overlaps, trafficOf } from "./port-ranges.ts";
import { findCoveredRules, findLimits } from "./rule-coverage.ts";

export type LintedRule = RouteFirewallRule & { readonly description?: string | undefined };

export type LintedOwner =
  | { readonly kind: "role"; readonly id?: string | undefined }
  | { readonly kind: "tag"; readonly name?: string | undefined }
  | { readonly kind: "route"; readonly subnets: readonly string[] };

export type LintFix = { readonly remove: true } | { readonly replace: LintedRule };

export type Lint = {
  /** The rule's position in the list. */
  readonly index: number;
  readonly fix?: LintFix;
} & (
  | { readonly kind: "neverMatches"; readonly reason: "noHost" | "outsideSubnets" }
  /** The rules that allow the same, together if there are several. */
  | { readonly kind: "covered"; readonly by: readonly number[] }
  | { readonly kind: "broaderThanDescription"; readonly named: readonly NamedTraffic[] }
  | { readonly kind: "anyWithTags"; readonly tags: readonly string[] }
  | { readonly kind: "manyPorts"; readonly ports: number }
);

/**
 * Roles and tags belong to all networks of an organization, so a rule that matches in one of them is fine. Without a
 * network, nothing is said about today's hosts.
 */
export function lintRules(
  networks: readonly AccessNetwork[],
  owner: LintedOwner,
  rules: readonly LintedRule[],
): Lint[] {
  const subnets = owner.kind === "route" ? owner.subnets : undefined;
  const covered = findCoveredRules(rules, subnets).map(({ index, by }): Lint => ({
    index,
    kind: "covered",
    by,
    fix: { remove: true },
  }));
  const others = rules.flatMap((rule, index) =>
    [
      findUnmatchable(networks, subnets, rule, index),
      findBroader(rule, index),
      findAnyWithTags(rule, index),
      findManyPorts(rule, index),
    ].filter((lint) => lint !== undefined),
  );
  return [...covered, ...others].toSorted((a, b) => a.index - b.index);
}

/** A statement about today's hosts and subnets, so removing the rule isn't suggested. */
function findUnmatchable(
  networks: readonly AccessNetwork[],
  subnets: readonly string[] | undefined,
  rule: LintedRule,
  index: number,
): Lint | undefined {
  if (subnets && subnets.length > 0 && findLimits(rule, subnets).length === 0)
    return { index, kind: "neverMatches", reason: "outsideSubnets" };
  const isAnyHost = !rule.allowedRoleID && (rule.allowedTags ?? []).length === 0;
  if (networks.length === 0 || isAnyHost || networks.some((network) => hasPeers(network, rule)))
    return undefined;
  return { index, kind: "neverMatches", reason: "noHost" };
}

/** A rule for something else than its description names may be right, so the rule must allow the named traffic too. */
function findBroader(rule: LintedRule, index: number): Lint | undefined {
  const named = findNamedTraffic(rule.description ?? "");
  const described = named.flatMap((traffic) => trafficOf(traffic));
  const allowed = trafficOf(rule);
  if (!overlaps(allowed, described) || coversTraffic(described, allowed)) return undefined;
  const replacement = named.length === 1 ? narrowRule(rule, named[0]!) : undefined;
  return {
    index,
    kind: "broaderThanDescription",
    named,
    ...(replacement && { fix: { replace: replacement } }),
  };
}

/** Undefined if the rule doesn't allow all of the named traffic: a fix must not open anything. */
function narrowRule(rule: LintedRule, { protocol, portRange }: NamedTraffic): LintedRule | undefined {
  const isWithin = protocol === "ANY" && rule.protocol !== "ICMP";
  const replacement = { ...rule, protocol: isWithin ? rule.protocol : protocol, portRange };
  return coversTraffic(trafficOf(rule), trafficOf(replacement)) ? replacement : undefined;
}

function findAnyWithTags({ protocol, portRange, allowedTags }: LintedRule, index: number): Lint | undefined {
  const tags = allowedTags ?? [];
  const isEverything = protocol === "ANY" && !portRange;
  return isEverything && tags.length > 0 ? { index, kind: "anyWithTags", tags } : undefined;
}

/** Nebula stores one entry per port, so large ranges use memory on every host. */
const PORTS_MAX = 1000;

/** Ports 1 to 65535 aren't replaced by all ports, which would also allow fragments, and with ANY every protocol. */
function findManyPorts({ protocol, portRange }: LintedRule, index: number): Lint | undefined {
  if (!portRange || protocol === "ICMP") return undefined;
  const ports = portRange.to - portRange.from + 1;
  return ports > PORTS_MAX ? { index, kind: "manyPorts", ports } : undefined;
}
