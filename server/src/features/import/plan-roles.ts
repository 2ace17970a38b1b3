import type { FirewallRule } from "@lightkeeper/contract";
import type { Problem } from "./document.ts";
import { sourcePathIn, type Item } from "./items.ts";
import { differences, type PlannedItem, reject, createDuplicateCheck } from "./planned-items.ts";
import type { ExistingState } from "./existing-state.ts";

/** The ID of an existing role, or a placeholder for a role that this import creates. */
export type RoleReference = string;
export type FindReference = (nameOrID: string) => RoleReference | undefined;

export const ROLE_NOT_FOUND = "role not found in this organization or in the file";

/** IDs contain no spaces. */
const referenceTo = (key: string): RoleReference => `new ${key}`;

export interface RoleValues {
  description: string;
  rules: FirewallRule[];
}

export type PlannedRole = PlannedItem<
  "role",
  RoleValues & { name: string; reference: RoleReference },
  RoleValues
>;

export interface ResolvedRules {
  rules: FirewallRule[];
  problems: Problem[];
}

/** Resolves the roles in the rules; reports those that are unknown. */
export function resolveRules(item: Item<"role" | "tag">, find: FindReference): ResolvedRules {
  const { value } = item;
  const problems: Problem[] = [];
  const rules = (value.firewallRules ?? []).map((rule, index) => {
    if (rule.allowedRoleID === null) return rule;
    const allowedRoleID = find(rule.allowedRoleID);
    if (allowedRoleID !== undefined) return { ...rule, allowedRoleID };
    problems.push({
      code: "ERR_INVALID_REFERENCE",
      message: ROLE_NOT_FOUND,
      path: sourcePathIn(item)(`firewallRules[${index}].allowedRoleID`),
    });
    return rule;
  });
  return { rules, problems };
}

export interface PlannedRoles {
  roles: PlannedRole[];
  find: FindReference;
}

export function planRoles(items: readonly Item<"role">[], state: ExistingState): PlannedRoles {
  const keyOf = (item: Item<"role">) => state.keyOf(item.value.name);
  const findDuplicate = createDuplicateCheck(keyOf);
  const problemsByItem = new Map(items.map((item) => [item, findDuplicate(item)]));
  let valid = items.filter((item) => problemsByItem.get(item)?.length === 0);
  let find = createFinder(state, valid.map(keyOf));
  // Roles that reference a rejected role are rejected too, so repeat until nothing changes.
  for (let countBefore = Infinity; valid.length < countBefore;) {
    countBefore = valid.length;
    for (const item of valid) problemsByItem.set(item, resolveRules(item, find).problems);
    valid = valid.filter((item) => problemsByItem.get(item)?.length === 0);
    find = createFinder(state, valid.map(keyOf));
  }
  const roles = items.map((item) => {
    const problems = problemsByItem.get(item) ?? [];
    return { item, action: problems.length > 0 ? reject(problems) : planRole(item, state, find) };
  });
  return { roles, find };
}

function createFinder(state: ExistingState, keys: string[]): FindReference {
  const newKeys = new Set(keys);
  return (nameOrID) => {
    const key = state.keyOf(nameOrID);
    return state.findRole(nameOrID)?.id ?? (newKeys.has(key) ? referenceTo(key) : undefined);
  };
}

function planRole(item: Item<"role">, state: ExistingState, find: FindReference): PlannedRole["action"] {
  const { name, description } = item.value;
  const { rules } = resolveRules(item, find);
  const existing = state.findRoleByName(name);
  if (!existing)
    return {
      kind: "create",
      values: { name, reference: referenceTo(state.keyOf(name)), description, rules },
    };
  const current: RoleValues = { description: existing.description, rules: existing.firewall_rules };
  const values: RoleValues = {
    description: item.presentKeys.includes("description") ? description : current.description,
    rules: item.presentKeys.includes("firewallRules") ? rules : current.rules,
  };
  const properties = differences(comparable(values), comparable(current));
  if (properties.length === 0) return { kind: "unchanged" };
  return { kind: "change", id: existing.id, properties, values };
}

const comparable = ({ description, rules }: RoleValues) => ({ description, firewallRules: rules });
