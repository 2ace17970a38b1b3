import type { FirewallRule } from "@lightkeeper/contract";
import type { Problem } from "./document.ts";
import { asWrittenIn, type Thing } from "./things.ts";
import { differences, type Judged, refuse, refuseTwice } from "./verdicts.ts";
import type { World } from "./world.ts";

/** In rules and hosts: the id of a role that is there, or what stands for one that is yet to be made. */
export type RoleReference = string;
export type FindReference = (nameOrID: string) => RoleReference | undefined;

export const NO_SUCH_ROLE = "there is no such role, neither here nor in what was sent";

/** No id has a space in it. */
const referenceTo = (key: string): RoleReference => `new ${key}`;

export interface RoleWork {
  description: string;
  rules: FirewallRule[];
}

export type JudgedRole = Judged<"role", RoleWork & { name: string; reference: RoleReference }, RoleWork>;

export interface ResolvedRules {
  rules: FirewallRule[];
  faults: Problem[];
}

/** Rules with every role they name found, or with the faults of those that are not. */
export function resolveRules(thing: Thing<"role" | "tag">, find: FindReference): ResolvedRules {
  const { value } = thing;
  const faults: Problem[] = [];
  const rules = (value.firewallRules ?? []).map((rule, index) => {
    if (rule.allowedRoleID === null) return rule;
    const allowedRoleID = find(rule.allowedRoleID);
    if (allowedRoleID !== undefined) return { ...rule, allowedRoleID };
    faults.push({
      code: "ERR_INVALID_REFERENCE",
      message: NO_SUCH_ROLE,
      path: asWrittenIn(thing)(`firewallRules[${index}].allowedRoleID`),
    });
    return rule;
  });
  return { rules, faults };
}

export interface PlannedRoles {
  roles: JudgedRole[];
  find: FindReference;
}

export function planRoles(things: readonly Thing<"role">[], world: World): PlannedRoles {
  const keyOf = (thing: Thing<"role">) => world.keyOf(thing.value.name);
  const twice = refuseTwice(keyOf);
  const faultsOf = new Map(things.map((thing) => [thing, twice(thing)]));
  let standing = things.filter((thing) => faultsOf.get(thing)?.length === 0);
  let find = finder(world, standing.map(keyOf));
  // Who names a role that is refused is refused as well, and so on until nobody is left who does.
  for (let before = Infinity; standing.length < before;) {
    before = standing.length;
    for (const thing of standing) faultsOf.set(thing, resolveRules(thing, find).faults);
    standing = standing.filter((thing) => faultsOf.get(thing)?.length === 0);
    find = finder(world, standing.map(keyOf));
  }
  const roles = things.map((thing) => {
    const faults = faultsOf.get(thing) ?? [];
    return { thing, verdict: faults.length > 0 ? refuse(faults) : judge(thing, world, find) };
  });
  return { roles, find };
}

function finder(world: World, keys: string[]): FindReference {
  const sent = new Set(keys);
  return (nameOrID) => {
    const key = world.keyOf(nameOrID);
    return world.findRole(nameOrID)?.id ?? (sent.has(key) ? referenceTo(key) : undefined);
  };
}

function judge(thing: Thing<"role">, world: World, find: FindReference): JudgedRole["verdict"] {
  const { name, description } = thing.value;
  const { rules } = resolveRules(thing, find);
  const existing = world.findRoleNamed(name);
  if (!existing)
    return { kind: "create", work: { name, reference: referenceTo(world.keyOf(name)), description, rules } };
  const current: RoleWork = { description: existing.description, rules: existing.firewall_rules };
  const work: RoleWork = {
    description: thing.written.includes("description") ? description : current.description,
    rules: thing.written.includes("firewallRules") ? rules : current.rules,
  };
  const properties = differences(compared(work), compared(current));
  if (properties.length === 0) return { kind: "unchanged" };
  return { kind: "change", id: existing.id, properties, work };
}

const compared = ({ description, rules }: RoleWork) => ({ description, firewallRules: rules });
