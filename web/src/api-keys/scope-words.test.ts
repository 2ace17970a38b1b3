import { scopes } from "@lightkeeper/contract";
import { expect, it } from "vitest";
import { presets, scopeGroups, scopeWords } from "./scope-words.ts";

it("offers every scope there is, once", () => {
  const offered = scopeGroups.flatMap((group) => group.scopes.map(({ scope }) => scope));
  expect(offered.toSorted()).toEqual([...scopes].sort());
});

it.each(presets.map((preset) => [preset.label, preset.scopes] as const))("calls a key %s", (label, held) => {
  expect(scopeWords(held.toReversed())).toBe(label);
});

it("changes nothing with what is read only", () => {
  const readOnly = presets.find(({ label }) => label === "Read only")?.scopes ?? [];
  expect(readOnly.length).toBeGreaterThan(0);
  expect(readOnly.filter((scope) => !/:(list|read)$/.test(scope))).toEqual([]);
});

it("names what a key may do, by noun", () => {
  expect(scopeWords(["roles:list", "hosts:read", "hosts:list", "audit-logs:list"])).toBe(
    "Hosts: list, read · Roles: list · Audit log: all",
  );
  expect(scopeWords([])).toBe("");
});
