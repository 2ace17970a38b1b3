/** Guarantees worth adding, from the rules of the current roles. */
import type { FirewallRule, Role } from "@lightkeeper/contract";
import type { GuaranteeInput } from "./guarantees.queries.ts";

const SUGGESTIONS_MAX = 3;
/** The rest suggests what must stay reachable. */
const NEVER_MAX = 2;

type SuggestionRole = Pick<Role, "id" | "firewallRules" | "hostCount">;

const isTcp = ({ protocol }: FirewallRule) => protocol === "TCP" || protocol === "ANY";

/** Rules that limit access to a role: other roles are kept out on purpose. */
const isFromRole = (rule: FirewallRule) => isTcp(rule) && rule.allowedRoleID !== null;

const allows = (role: SuggestionRole, sourceID: string): boolean =>
  role.firewallRules.some(
    (rule) => isTcp(rule) && (rule.allowedRoleID === null || rule.allowedRoleID === sourceID),
  );

const betweenRoles = (sourceID: string, destinationID: string) => ({
  source: { type: "role" as const, id: sourceID },
  destination: { type: "role" as const, id: destinationID },
  networkID: null,
  description: "",
});

/** Roles that no rule lets into a protected role; every protected role is suggested once before any other. */
function suggestNever(roles: readonly SuggestionRole[]): GuaranteeInput[] {
  const byHostCount = roles.toSorted((one, other) => other.hostCount - one.hostCount);
  const isProtected = ({ firewallRules }: SuggestionRole) => firewallRules.some(isFromRole);
  const protectedFirst = byHostCount.toSorted(
    (one, other) => Number(isProtected(other)) - Number(isProtected(one)),
  );
  return protectedFirst.flatMap((destination): GuaranteeInput[] => {
    const source = byHostCount.find(({ id }) => id !== destination.id && !allows(destination, id));
    if (!source) return [];
    return [
      {
        type: "MUST_NEVER_REACH",
        ...betweenRoles(source.id, destination.id),
        protocol: "TCP",
        portRange: null,
      },
    ];
  });
}

/** Connections that a rule without further conditions allows today. */
function suggestAlways(roles: readonly SuggestionRole[]): GuaranteeInput[] {
  const ids = new Set(roles.map(({ id }) => id));
  return roles.flatMap((destination) =>
    destination.firewallRules.flatMap((rule): GuaranteeInput[] => {
      const { allowedRoleID, allowedTags = [], portRange } = rule;
      const isPlain = allowedRoleID !== null && ids.has(allowedRoleID) && allowedTags.length === 0;
      if (!isPlain || rule.protocol !== "TCP" || portRange === null) return [];
      return [
        { type: "MUST_REACH", ...betweenRoles(allowedRoleID, destination.id), protocol: "TCP", portRange },
      ];
    }),
  );
}

/** Up to three guarantees between roles. */
export function suggestGuarantees(roles: readonly SuggestionRole[]): GuaranteeInput[] {
  const [never, always] = [suggestNever(roles), suggestAlways(roles)];
  const alwaysCount = Math.min(always.length, SUGGESTIONS_MAX - Math.min(never.length, NEVER_MAX));
  return [...never.slice(0, SUGGESTIONS_MAX - alwaysCount), ...always.slice(0, alwaysCount)];
}
