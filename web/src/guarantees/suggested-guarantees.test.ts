import type { FirewallRule } from "@lightkeeper/contract";
import { expect, it } from "vitest";
import { suggestGuarantees } from "./suggested-guarantees.ts";

const rule = (allowedRoleID: string | null, more: Partial<FirewallRule> = {}): FirewallRule => ({
  protocol: "TCP",
  portRange: { from: 22, to: 22 },
  allowedRoleID,
  allowedTags: [],
  description: "",
  ...more,
});
const role = (id: string, hostCount: number, firewallRules: FirewallRule[]) => ({
  id,
  hostCount,
  firewallRules,
});

const inWords = (roles: Parameters<typeof suggestGuarantees>[0]) =>
  suggestGuarantees(roles).map(({ type, source, destination }) =>
    [source, type === "MUST_REACH" ? "always" : "never", destination]
      .map((part) => (typeof part === "string" ? part : "id" in part ? part.id : part.type))
      .join(" "),
  );

it("suggests what must stay closed, protected roles first, and what must stay open", () => {
  const roles = [
    role("web", 20, [rule(null)]),
    role("laptop", 50, []),
    role("database", 10, [rule("web", { portRange: { from: 5432, to: 5432 } })]),
  ];
  expect(inWords(roles)).toEqual(["laptop never database", "web never laptop", "web always database"]);
});

it("suggests no connection that ping alone makes possible", () => {
  const ping = rule(null, { protocol: "ICMP", portRange: null });
  expect(inWords([role("a", 1, [ping]), role("b", 1, [rule(null)])])).toEqual(["b never a"]);
});

it("suggests nothing for rules that need a tag, or for a single role", () => {
  expect(inWords([role("a", 1, [rule("a", { allowedTags: ["env:prod"] })])])).toEqual([]);
});
