import { nouns, scopes, type Scope } from "@lightkeeper/contract";

export interface ScopeGroup {
  noun: string;
  label: string;
  scopes: readonly { scope: Scope; label: string }[];
}

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

/** All scopes, grouped by noun, with reads before writes. */
export const scopeGroups: readonly ScopeGroup[] = Object.entries(nouns).flatMap(([noun, descriptor]) =>
  "scopes" in descriptor ? [{ noun, label: descriptor.scopes.label, scopes: labeledScopes(noun) }] : [],
);

function labeledScopes(noun: string): ScopeGroup["scopes"] {
  return verbs.flatMap(([verb, label]) => {
    const scope = scopes.find((candidate) => nounOf(candidate) === noun && verbOf(candidate) === verb);
    return scope ? [{ scope, label }] : [];
  });
}

const isReading = (scope: Scope) => ["list", "read"].includes(verbOf(scope));
const ofNouns = (...nouns: string[]) => scopes.filter((scope) => nouns.includes(nounOf(scope)));

interface Preset {
  label: string;
  scopes: readonly Scope[];
}

/** Common choices. A key with exactly these scopes is described by the preset's label. */
export const presets: readonly Preset[] = [
  { label: "Everything", scopes },
  { label: "Read only", scopes: scopes.filter(isReading) },
  { label: "Hosts only", scopes: ofNouns("hosts") },
  { label: "Enroll hosts", scopes: ["hosts:create", "hosts:enroll", "networks:list", "roles:list"] },
  { label: "Audit log only", scopes: ofNouns("audit-logs") },
];

export const hasSameScopes = (a: readonly Scope[], b: readonly Scope[]): boolean =>
  a.length === b.length && a.every((scope) => b.includes(scope));

function describeGroup({ label, scopes: groupScopes }: ScopeGroup, keyScopes: readonly Scope[]): string[] {
  const selected = groupScopes.filter(({ scope }) => keyScopes.includes(scope));
  if (selected.length === 0) return [];
  if (selected.length === groupScopes.length) return [`${label}: all`];
  return [`${label}: ${selected.map((scope) => scope.label.toLowerCase()).join(", ")}`];
}

/** "Read only"; "Hosts: list, read · Roles: all" */
export function describeScopes(keyScopes: readonly Scope[]): string {
  const preset = presets.find((candidate) => hasSameScopes(candidate.scopes, keyScopes));
  return preset?.label ?? scopeGroups.flatMap((group) => describeGroup(group, keyScopes)).join(" · ");
}
