/** What rules name, and what becomes of them when a role or tag is deleted. */
import { findByID, type ModelRule, type Organization, record } from "../state.ts";

export const namesMissingRole = ({ roles }: Organization, rules: readonly ModelRule[]): boolean =>
  rules.some(({ allowedRoleID }) => allowedRoleID !== null && !findByID(roles, allowedRoleID));

export const tagsOfRules = (rules: readonly ModelRule[]): string[] =>
  rules.flatMap(({ allowedTags = [] }) => allowedTags);

/** Tags that don't exist yet are created with the highest priority. */
export function ensureTags(organization: Organization, actor: string, names: readonly string[]): void {
  for (const name of new Set(names)) {
    if (organization.tags.some((tag) => tag.name === name)) continue;
    organization.tags.push({
      name,
      description: "",
      configOverrides: [],
      routeSubscriptions: [],
      firewallRules: [],
    });
    record(organization, actor, ["tag", name], "CREATED");
  }
}

export type Reference = { roleID: string } | { tag: string };

const isNaming = (rule: ModelRule, reference: Reference): boolean =>
  "roleID" in reference
    ? rule.allowedRoleID === reference.roleID
    : (rule.allowedTags ?? []).includes(reference.tag);

/** A rule that would lose its last restriction is removed, because it would allow any host. */
function detachRule<Rule extends ModelRule>(rule: Rule, reference: Reference): Rule[] {
  if (!isNaming(rule, reference)) return [rule];
  const detached =
    "roleID" in reference
      ? { ...rule, allowedRoleID: null }
      : { ...rule, allowedTags: (rule.allowedTags ?? []).filter((tag) => tag !== reference.tag) };
  const isRestricted = detached.allowedRoleID !== null || (detached.allowedTags ?? []).length > 0;
  return isRestricted ? [detached] : [];
}

const isDeleted = (owner: { id?: string; name: string }, reference: Reference): boolean =>
  "roleID" in reference
    ? owner.id === reference.roleID
    : owner.id === undefined && owner.name === reference.tag;

/** Roles, tags and routes with rules that name the role or tag, except that role or tag itself. */
function ruleOwnersOf({ roles, tags, routes }: Organization, reference: Reference) {
  const owners = [
    ...roles.map((owner) => ({ type: "role" as const, id: owner.id, owner })),
    ...tags.map((owner) => ({ type: "tag" as const, id: owner.name, owner })),
    ...routes.map((owner) => ({ type: "route" as const, id: owner.id, owner })),
  ];
  return owners.filter(
    ({ owner }) =>
      !isDeleted(owner, reference) && owner.firewallRules.some((rule) => isNaming(rule, reference)),
  );
}

const hostsOf = ({ hosts }: Organization, reference: Reference) =>
  hosts.filter((host) =>
    "roleID" in reference ? host.roleID === reference.roleID : host.tags.includes(reference.tag),
  );

export const isUsed = (organization: Organization, reference: Reference): boolean =>
  ruleOwnersOf(organization, reference).length + hostsOf(organization, reference).length > 0;

export function detach(organization: Organization, actor: string, reference: Reference): void {
  for (const { type, id, owner } of ruleOwnersOf(organization, reference)) {
    const rules = owner.firewallRules as ModelRule[];
    (owner.firewallRules as ModelRule[]) = rules.flatMap((rule) => detachRule(rule, reference));
    record(organization, actor, [type, id], "UPDATED");
  }
  for (const host of hostsOf(organization, reference)) {
    if ("roleID" in reference) host.roleID = null;
    else host.tags = host.tags.filter((tag) => tag !== reference.tag);
    record(organization, actor, ["host", host.id], "UPDATED");
  }
}
