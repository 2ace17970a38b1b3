/** Rules that are probably not what their author intended: of a draft, or of everything that is saved. */
import {
  type BodyOf,
  type DataOf,
  type lintRules as lintEndpoint,
  type listRuleLints as listEndpoint,
  RULE_LINTS_MAX,
} from "@lightkeeper/contract";
import { parseIpPrefix } from "@lightkeeper/nebula";
import { type LintedOwner, type LintedRule, lintRules } from "@lightkeeper/nebula/access";
import { type Problem, requireNoProblems } from "../../../infrastructure/errors/api-error.ts";
import type { LoadedRules } from "./loaded-network.ts";
import { compareNames } from "./present.ts";
import { presentLint, presentSavedLint, type RuleOwner } from "./present-lint.ts";

type Draft = BodyOf<typeof lintEndpoint>;

export function lintDraft(loaded: LoadedRules, draft: Draft): DataOf<typeof lintEndpoint> {
  requireNoProblems([
    ...validateOwner(loaded, draft),
    ...validateRoles(loaded, draft),
    ...validateSubnets(draft),
  ]);
  const owner: LintedOwner =
    draft.type === "route" ? { kind: "route", subnets: draft.subnets } : { kind: draft.type };
  return { lints: lintRules(loaded.networks, owner, draft.firewallRules).map(presentLint) };
}

function validateOwner({ roles, tags }: LoadedRules, draft: Draft): Problem[] {
  if (draft.type === "route" || draft.id === null) return [];
  const isKnown = draft.type === "role" ? roles.has(draft.id) : tags.has(draft.id);
  return isKnown ? [] : [{ code: "ERR_INVALID_REFERENCE", path: "id" }];
}

/** Unknown tags are fine: saving a rule creates them. */
const validateRoles = ({ roles }: LoadedRules, { firewallRules }: Draft): Problem[] =>
  firewallRules.flatMap(({ allowedRoleID }, index) =>
    allowedRoleID === null || roles.has(allowedRoleID)
      ? []
      : [{ code: "ERR_INVALID_REFERENCE" as const, path: `firewallRules[${index}].allowedRoleID` }],
  );

const CIDR_MESSAGE =
  "must be an IPv4 or IPv6 network in CIDR form, such as 192.168.5.0/24 or fd12:3456:789a::/64";

function validateSubnets(draft: Draft): Problem[] {
  if (draft.type !== "route") return [];
  const texts = [
    ...draft.subnets.map((text, index) => ({ text, path: `subnets[${index}]` })),
    ...draft.firewallRules.map(({ localCIDR: text }, index) => ({
      text,
      path: `firewallRules[${index}].localCIDR`,
    })),
  ];
  return texts.flatMap(({ text, path }) =>
    parseIpPrefix(text) ? [] : [{ code: "ERR_INVALID_IPV4_CIDR" as const, path, message: CIDR_MESSAGE }],
  );
}

interface SavedRules {
  owner: RuleOwner;
  linted: LintedOwner;
  rules: readonly LintedRule[];
}

/** Roles, tags and then routes, each by name. A route without a router allows nothing, so it isn't included. */
function listSavedRules({ networks, roles, tags, roleNames, routeNames }: LoadedRules): SavedRules[] {
  const nameOf = (names: ReadonlyMap<string, string>, id: string) => names.get(id) ?? id;
  const byName = (saved: SavedRules[]) => saved.toSorted((a, b) => compareNames(a.owner, b.owner));
  return [
    ...byName(
      [...roles].map(([id, rules]) => ({
        owner: { type: "role", id, name: nameOf(roleNames, id) },
        linted: { kind: "role" },
        rules,
      })),
    ),
    ...byName(
      [...tags].map(([name, { firewallRules }]) => ({
        owner: { type: "tag", id: name, name },
        linted: { kind: "tag" },
        rules: firewallRules,
      })),
    ),
    ...byName(
      networks
        .flatMap(({ routes }) => routes)
        .map(({ id, routableCIDRs, firewallRules }) => ({
          owner: { type: "route", id, name: nameOf(routeNames, id) },
          linted: { kind: "route", subnets: Object.keys(routableCIDRs) },
          rules: firewallRules,
        })),
    ),
  ];
}

export function lintSavedRules(loaded: LoadedRules): DataOf<typeof listEndpoint> {
  const saved = listSavedRules(loaded);
  const lints = saved.flatMap(({ owner, linted, rules }) =>
    lintRules(loaded.networks, linted, rules).map((lint) => presentSavedLint(owner, rules, lint)),
  );
  return {
    lints: lints.slice(0, RULE_LINTS_MAX),
    lintCount: lints.length,
    ruleCount: saved.reduce((count, { rules }) => count + rules.length, 0),
  };
}
