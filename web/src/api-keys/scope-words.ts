import { scopes, type Scope } from "@lightkeeper/contract";

export interface ScopeGroup {
  noun: string;
  label: string;
  scopes: readonly { scope: Scope; label: string }[];
}

const nounLabels: readonly (readonly [noun: string, label: string])[] = [
  ["hosts", "Hosts"],
  ["roles", "Roles"],
  ["routes", "Routes"],
  ["tags", "Tags"],
  ["networks", "Networks"],
  ["audit-logs", "Audit log"],
];

const verbs: readonly (readonly [verb: string, label: string])[] = [
  ["list", "List"],
  ["read", "Read"],
  ["create", "Create"],
  ["update", "Update"],
  ["delete", "Delete"],
  ["enroll", "Enroll"],
  ["block", "Block"],
  ["unblock", "Unblock"],
  ["debug", "Debug"],
];

const nounOf = (scope: Scope) => scope.slice(0, scope.indexOf(":"));
const verbOf = (scope: Scope) => scope.slice(scope.indexOf(":") + 1);

/** Every scope there is, by noun, what reads before what writes. */
export const scopeGroups: readonly ScopeGroup[] = nounLabels.map(([noun, label]) => ({
  noun,
  label,
  scopes: verbs.flatMap(([verb, verbLabel]) => {
    const scope = scopes.find((one) => nounOf(one) === noun && verbOf(one) === verb);
    return scope ? [{ scope, label: verbLabel }] : [];
  }),
}));

const isReading = (scope: Scope) => ["list", "read"].includes(verbOf(scope));
const ofNouns = (...nouns: string[]) => scopes.filter((scope) => nouns.includes(nounOf(scope)));

interface Preset {
  label: string;
  scopes: readonly Scope[];
}

/** Choices that are made often; each is also how such a key is described. */
export const presets: readonly Preset[] = [
  { label: "Everything", scopes },
  { label: "Read only", scopes: scopes.filter(isReading) },
  { label: "Hosts only", scopes: ofNouns("hosts") },
  { label: "Enroll hosts", scopes: ["hosts:create", "hosts:enroll", "networks:list", "roles:list"] },
  { label: "Audit log only", scopes: ofNouns("audit-logs") },
];

export const hasSameScopes = (one: readonly Scope[], other: readonly Scope[]): boolean =>
  one.length === other.length && one.every((scope) => other.includes(scope));

function groupWords({ label, scopes: inGroup }: ScopeGroup, chosen: readonly Scope[]): string[] {
  const held = inGroup.filter(({ scope }) => chosen.includes(scope));
  if (held.length === 0) return [];
  if (held.length === inGroup.length) return [`${label}: all`];
  return [`${label}: ${held.map((one) => one.label.toLowerCase()).join(", ")}`];
}

/** "Read only"; "Hosts: list, read · Roles: all" */
export function scopeWords(chosen: readonly Scope[]): string {
  const preset = presets.find((one) => hasSameScopes(one.scopes, chosen));
  return preset?.label ?? scopeGroups.flatMap((group) => groupWords(group, chosen)).join(" · ");
}
