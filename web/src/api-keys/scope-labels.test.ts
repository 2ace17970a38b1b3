import { scopes } from "@lightkeeper/contract";
import { expect, it } from "vitest";
import { presets, scopeGroups, describeScopes } from "./scope-labels.ts";

it("offers every scope exactly once", () => {
  const offered = scopeGroups.flatMap((group) => group.scopes.map(({ scope }) => scope));
  expect(offered.toSorted()).toEqual([...scopes].sort());
});

it.each(presets.map((preset) => [preset.label, preset.scopes] as const))(
  "describes a key as %s",
  (label, keyScopes) => {
    expect(describeScopes(keyScopes.toReversed())).toBe(label);
  },
);

it("has no write scopes in the preset Read only", () => {
  const readOnly = presets.find(({ label }) => label === "Read only")?.scopes ?? [];
  expect(readOnly.length).toBeGreaterThan(0);
  expect(readOnly.filter((scope) => !/:(list|read)$/.test(scope))).toEqual([]);
});

it("describes the scopes of a key by noun", () => {
  expect(describeScopes(["roles:list", "hosts:read", "hosts:list", "audit-logs:list"])).toBe(
    "Hosts: list, read · Roles: list · Audit log: all",
  );
  expect(describeScopes([])).toBe("");
});
