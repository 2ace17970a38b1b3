import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networkOf } from "../../test-data/access-network.ts";
import { network, ROLES, rules, TAGS } from "../../test-data/random-network.ts";
import { diff } from "./diff.ts";
import { lintRules } from "./lint.ts";
import type { Lint, LintedOwner, LintedRule } from "./lint.ts";

const ROLE: LintedOwner = { kind: "role" };
const lint = (given: readonly LintedRule[], owner: LintedOwner = ROLE) =>
  lintRules([networkOf()], owner, given);
const kinds = (...given: readonly LintedRule[]) => lint(given).map(({ index, kind }) => `${index} ${kind}`);
const tcp = (from: number, to = from, more: Partial<LintedRule> = {}): LintedRule => ({
  protocol: "TCP",
  portRange: { from, to },
  ...more,
});

describe("a rule that never matches", () => {
  it("names a role and tags that no host has together", () => {
    const combined = { allowedRoleID: "role-web", allowedTags: ["team:data"] };
    expect(lint([tcp(22, 22, combined)])).toEqual([{ index: 0, kind: "neverMatches", reason: "noHost" }]);
    expect(kinds(tcp(22, 22, { allowedRoleID: "role-web", allowedTags: ["color:red"] }))).toEqual([]);
    expect(kinds(tcp(22))).toEqual([]);
    expect(lintRules([], ROLE, [tcp(22, 22, combined)])).toEqual([]);
  });

  it("matches no host of any network", () => {
    const empty = networkOf({ hosts: [] });
    const rules = [tcp(22, 22, { allowedRoleID: "role-web" })];
    const lint = { index: 0, kind: "neverMatches", reason: "noHost" };
    expect(lintRules([empty], ROLE, rules)).toEqual([lint]);
    expect(lintRules([empty, networkOf()], ROLE, rules)).toEqual([]);
    expect(lintRules([empty, networkOf({ hosts: [] })], ROLE, rules)).toEqual([lint]);
  });

  it("is found for exactly the roles and tags that no host has together", () => {
    const peers = fc.record({
      allowedRoleID: fc.constantFrom(null, ...ROLES, "role-unknown"),
      allowedTags: fc.subarray([...TAGS, "env:unknown"]),
    });
    fc.assert(
      fc.property(network, peers, (given, { allowedRoleID, allowedTags }) => {
        const isMatched = given.hosts.some(
          ({ roleID, tags }) =>
            (allowedRoleID === null || roleID === allowedRoleID) &&
            allowedTags.every((tag) => tags.includes(tag)),
        );
        const isAnyHost = allowedRoleID === null && allowedTags.length === 0;
        const found = lintRules([given], ROLE, [tcp(22, 22, { allowedRoleID, allowedTags })]);
        expect(found).toHaveLength(isMatched || isAnyHost ? 0 : 1);
      }),
    );
  });

  it("is limited to addresses that the route doesn't serve", () => {
    const route: LintedOwner = { kind: "route", subnets: ["192.168.5.0/24"] };
    const outside = tcp(22, 22, { localCIDR: "192.168.6.0/24" });
    expect(lint([outside], route)).toEqual([{ index: 0, kind: "neverMatches", reason: "outsideSubnets" }]);
    expect(lint([tcp(22, 22, { localCIDR: "192.168.5.7/32" })], route)).toEqual([]);
    expect(lint([tcp(22, 22, { localCIDR: "192.168.0.0/16" })], route)).toEqual([]);
    expect(lint([outside], { kind: "route", subnets: [] })).toEqual([]);
  });
});

describe("a covered rule", () => {
  it("allows nothing that another rule doesn't allow", () => {
    const narrow = tcp(22, 22, { allowedRoleID: "role-web" });
    expect(lint([narrow, tcp(1, 100)])).toEqual([
      { index: 0, kind: "covered", by: [1], fix: { remove: true } },
    ]);
    expect(kinds(narrow, tcp(23, 100))).toEqual([]);
    expect(kinds(tcp(22), tcp(1, 100, { allowedRoleID: "role-web" }))).toEqual([]);
  });

  it("may need several rules that cover it together", () => {
    expect(lint([tcp(1, 30), tcp(10, 50), tcp(31, 100), tcp(200)])).toEqual([
      { index: 1, kind: "covered", by: [0, 2], fix: { remove: true } },
    ]);
    expect(kinds(tcp(1, 30), tcp(10, 50), tcp(32, 100))).toEqual([]);
    // Rule 1 covers rule 3, but is covered itself.
    expect(lint([tcp(1, 30), tcp(10, 50), tcp(31, 100), tcp(35)])).toMatchObject([
      { index: 1, by: [0, 2] },
      { index: 3, by: [2] },
    ]);
    // One rule is kept rather than its parts.
    expect(kinds(tcp(1, 50), tcp(51, 100), tcp(1, 100))).toEqual(["0 covered", "1 covered"]);
  });

  it("is the later one of two that are equal", () => {
    expect(kinds(tcp(22), tcp(80), tcp(22))).toEqual(["2 covered"]);
  });

  it("of a route applies to addresses that other rules contain", () => {
    const route: LintedOwner = { kind: "route", subnets: ["192.168.5.0/24", "172.16.0.0/12"] };
    const at = (localCIDR: string) => tcp(22, 22, { localCIDR });
    const halves = [at("192.168.5.0/25"), at("192.168.5.128/25")];
    expect(lint([at("192.168.5.0/24"), ...halves], route).map(({ index }) => index)).toEqual([1, 2]);
    expect(lint([...halves, at("192.168.0.0/16")], route)).toMatchObject([{ index: 0 }, { index: 1 }]);
    expect(lint([...halves, at("0.0.0.0/0")], route)).toMatchObject([{ index: 0 }, { index: 1 }]);
    expect(lint([halves[0]!, at("172.16.0.0/12")], route)).toEqual([]);
  });

  it("can be removed, together with all others, without any change of access", () => {
    fc.assert(
      fc.property(rules, rules, (some, more) => {
        const all = [...some, ...more];
        const covered = new Set(
          lintRules([], ROLE, all)
            .filter(({ kind }) => kind === "covered")
            .map(({ index }) => index),
        );
        for (const found of lintRules([], ROLE, all))
          if (found.kind === "covered") {
            expect(found.by).not.toEqual([]);
            expect(found.by.filter((index) => covered.has(index))).toEqual([]);
          }
        const withRules = (given: readonly LintedRule[]) =>
          networkOf({ roles: new Map([["role-web", given]]) });
        const before = withRules(all);
        const after = withRules(all.filter((_, index) => !covered.has(index)));
        expect(diff(before, after)).toMatchObject({ opened: [], closed: [] });
      }),
      { numRuns: 200 },
    );
  });
});

describe("a rule that is broader than its description", () => {
  const described = (description: string, more: Partial<LintedRule>): LintedRule => ({
    protocol: "ANY",
    description,
    ...more,
  });
  const fixOf = (rule: LintedRule) => {
    const found: Lint | undefined = lint([rule]).find(({ kind }) => kind === "broaderThanDescription");
    if (!found) return "fine";
    return found.fix && "replace" in found.fix
      ? [found.fix.replace.protocol, found.fix.replace.portRange]
      : "no fix";
  };
  const port = (from: number, to = from) => ({ from, to });

  it.each<[string, Partial<LintedRule>, unknown]>([
    ["SSH from laptops", {}, ["TCP", port(22)]],
    ["SSH from laptops", { protocol: "TCP", portRange: port(1, 100) }, ["TCP", port(22)]],
    ["PostgreSQL", { protocol: "TCP" }, ["TCP", port(5432)]],
    ["HTTPS", { protocol: "TCP" }, ["TCP", port(443)]],
    ["DNS", {}, ["ANY", port(53)]],
    ["Admin on port 8443", { protocol: "TCP" }, ["TCP", port(8443)]],
    ["SSH on port 2222", { protocol: "TCP", portRange: port(2000, 3000) }, ["TCP", port(2222)]],
    ["8443/tcp", {}, ["TCP", port(8443)]],
    ["ports 8000-8010", { protocol: "TCP" }, ["TCP", port(8000, 8010)]],
    ["ping", {}, ["ICMP", null]],
    ["UDP only", {}, ["UDP", null]],
    // Two services don't fit in one rule.
    ["HTTP and HTTPS", { protocol: "TCP" }, "no fix"],
    // The rule doesn't allow all of what its description names, and a fix must not open anything.
    ["ports 90-110", { protocol: "TCP", portRange: port(80, 100) }, "no fix"],
  ])("%s, %o", (description, more, expected) => {
    expect(fixOf(described(description, more))).toEqual(expected);
  });

  it.each<[string, Partial<LintedRule>]>([
    ["SSH", { protocol: "TCP", portRange: port(22) }],
    ["DNS", { protocol: "UDP", portRange: port(53) }],
    ["HTTP and HTTPS", { protocol: "TCP", portRange: port(443) }],
    ["Everything except SSH", {}],
    ["All ports, including SSH", {}],
    ["Ticket 8443", {}],
    // The service may be a client of the named one.
    ["Web servers for PostgreSQL clients", { protocol: "TCP", portRange: port(443) }],
    ["", {}],
    ["port 99999", {}],
  ])("but not: %s, %o", (description, more) => {
    expect(fixOf(described(description, more))).toBe("fine");
  });
});

describe("a rule for everything", () => {
  it("is reported if it depends on tags", () => {
    expect(lint([{ protocol: "ANY", allowedTags: ["color:red"] }])).toEqual([
      { index: 0, kind: "anyWithTags", tags: ["color:red"] },
    ]);
    expect(kinds({ protocol: "ANY" })).toEqual([]);
    expect(kinds({ protocol: "TCP", allowedTags: ["color:red"] })).toEqual([]);
    expect(kinds({ protocol: "ANY", portRange: { from: 1, to: 2 }, allowedTags: ["color:red"] })).toEqual([]);
  });
});

describe("a rule with many ports", () => {
  it("is reported above 1,000 ports, without a fix that would allow more", () => {
    expect(lint([tcp(1, 65_535)])).toEqual([{ index: 0, kind: "manyPorts", ports: 65_535 }]);
    expect(kinds(tcp(1, 1001))).toEqual(["0 manyPorts"]);
    expect(kinds(tcp(1, 1000))).toEqual([]);
    expect(kinds({ protocol: "TCP" })).toEqual([]);
    expect(kinds({ protocol: "ICMP", portRange: { from: 1, to: 65_535 } })).toEqual([]);
  });
});
