import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { subnetsLabel, trafficLabel } from "./change-labels.ts";
import { ruleChanges, type RuleChange, type RuleSet } from "./rule-changes.ts";
import { ALL_SUBNETS, newRule, type RuleValues } from "./rule-values.ts";

const rule = (traffic: string, from: Partial<RuleValues> = {}): RuleValues => {
  const [protocol, ports = "any"] = traffic.split(/ (.*)/) as [RuleValues["protocol"], string?];
  return { ...newRule, protocol, ports, ...from };
};
const sourceText = ({ roleID, tags }: Pick<RuleChange, "roleID" | "tags">) =>
  [roleID && `role ${roleID}`, ...tags.map((tag) => `tag ${tag}`)].filter(Boolean).join(" with ");
const changeText = (change: RuleChange) => {
  const { subnets, except } = change;
  return [
    `${trafficLabel(change)} from ${sourceText(change) || "any host"}`,
    subnets.length > 0 && ` to ${subnetsLabel(subnets)}`,
    ...except.map((one) => `, except ${[sourceText(one), one.subnet].filter(Boolean).join(" to ")}`),
  ]
    .filter(Boolean)
    .join("");
};
const changes = (saved: RuleSet, edited: RuleSet) => {
  const { added, removed } = ruleChanges(saved, edited);
  return { added: added.map(changeText), removed: removed.map(changeText) };
};
const ofRules = (saved: RuleValues[], edited: RuleValues[]) => changes({ rules: saved }, { rules: edited });
const noChange = { added: [], removed: [] };

const ssh = rule("TCP 22");
const fromWeb = { allowedRoleID: "web" };

describe("the access that a change of rules adds and removes", () => {
  it("is what a new rule allows and what a removed rule allowed", () => {
    expect(ofRules([ssh], [rule("TCP 443", fromWeb)])).toEqual({
      added: ["TCP 443 (HTTPS) from role web"],
      removed: ["TCP 22 (SSH) from any host"],
    });
  });

  it("is empty for equivalent rules: another order, a description, a list as several rules", () => {
    const https = rule("TCP 443", fromWeb);
    expect(ofRules([ssh, https], [https, { ...ssh, description: "the office" }])).toEqual(noChange);
    expect(ofRules([rule("TCP 22, 443")], [rule("TCP 443"), ssh])).toEqual(noChange);
    expect(ofRules([rule("TCP 1-100"), rule("TCP 101-200")], [rule("TCP 1-200")])).toEqual(noChange);
    expect(ofRules([rule("ANY 53")], [rule("TCP 53"), rule("UDP 53")])).toEqual(noChange);
  });

  it("is only the difference where ports overlap", () => {
    expect(ofRules([rule("TCP 8000-8010")], [rule("TCP 8005-8020")])).toEqual({
      added: ["TCP 8011-8020 from any host"],
      removed: ["TCP 8000-8004 from any host"],
    });
    expect(ofRules([rule("ANY")], [rule("TCP 22")]).removed).toEqual([
      "TCP 1-21 and 23-65535, all UDP, ICMP, and other protocols from any host",
    ]);
    expect(ofRules([], [rule("ANY")]).added).toEqual(["everything from any host"]);
    expect(ofRules([], [rule("ANY 53")]).added).toEqual(["TCP and UDP 53 (DNS) from any host"]);
  });

  it("considers sources: a narrower rule adds nothing to a wider one", () => {
    const prod = { ...fromWeb, allowedTags: ["env:prod"] };
    expect(ofRules([ssh], [ssh, rule("TCP 22", prod)])).toEqual(noChange);
    expect(ofRules([ssh], [rule("TCP 22", fromWeb)]).removed).toEqual([
      "TCP 22 (SSH) from any host, except role web",
    ]);
    expect(ofRules([rule("TCP 22", fromWeb)], [rule("TCP 22", prod)])).toEqual({
      added: [],
      removed: ["TCP 22 (SSH) from role web, except tag env:prod"],
    });
    expect(ofRules([rule("TCP 22", prod)], [rule("TCP 22", { allowedTags: ["env:prod"] })])).toEqual({
      added: ["TCP 22 (SSH) from tag env:prod, except role web"],
      removed: [],
    });
  });

  it("lists exceptions only for their ports, and none inside another", () => {
    const prod = { ...fromWeb, allowedTags: ["env:prod"] };
    expect(ofRules([rule("TCP 22", fromWeb), rule("TCP 20-30", prod)], [rule("TCP 20-25")]).added).toEqual([
      "TCP 20-21 and 23-25 from any host, except role web with tag env:prod",
      "TCP 22 (SSH) from any host, except role web",
    ]);
  });

  it("lists access once if two new rules allow it", () => {
    expect(ofRules([], [rule("TCP 22", fromWeb), ssh, ssh]).added).toEqual(["TCP 22 (SSH) from any host"]);
  });

  it("leaves out a rule that is still being typed", () => {
    expect(ofRules([], [{ ...newRule, ports: "" }, rule("TCP 99999")])).toEqual(noChange);
  });
});

describe("of a route", () => {
  const subnets = ["192.168.4.0/24", "10.8.0.0/16"];
  const to = (localCIDR: string) => rule("TCP 22", { localCIDR });

  it("lists the subnets, all of them for a rule without a subnet", () => {
    expect(changes({ rules: [], subnets }, { rules: [to(ALL_SUBNETS)], subnets }).added).toEqual([
      "TCP 22 (SSH) from any host to 192.168.4.0/24 and 10.8.0.0/16",
    ]);
    expect(changes({ rules: [to(ALL_SUBNETS)], subnets }, { rules: [to("10.8.0.0/16")], subnets })).toEqual({
      added: [],
      removed: ["TCP 22 (SSH) from any host to 192.168.4.0/24"],
    });
  });

  it("includes subnets that are added or removed without a change of rules", () => {
    const rules = [to(ALL_SUBNETS)];
    expect(changes({ rules, subnets }, { rules, subnets: ["192.168.4.0/24", "172.16.0.0/12"] })).toEqual({
      added: ["TCP 22 (SSH) from any host to 172.16.0.0/12"],
      removed: ["TCP 22 (SSH) from any host to 10.8.0.0/16"],
    });
  });

  it("never adds more than the route has, nor an incomplete subnet", () => {
    expect(changes({ rules: [], subnets }, { rules: [to("172.16.0.0/12")], subnets })).toEqual(noChange);
    expect(changes({ rules: [], subnets: [] }, { rules: [to(ALL_SUBNETS)], subnets: ["10.8."] })).toEqual(
      noChange,
    );
  });

  it("excludes the part of a subnet that doesn’t change", () => {
    expect(changes({ rules: [to("10.8.1.0/24")], subnets }, { rules: [to("10.8.0.0/16")], subnets })).toEqual(
      {
        added: ["TCP 22 (SSH) from any host to 10.8.0.0/16, except 10.8.1.0/24"],
        removed: [],
      },
    );
  });
});

describe("for any two sets of rules", () => {
  const anyRule = fc
    .record({
      protocol: fc.constantFrom("TCP", "UDP", "ICMP", "ANY"),
      ports: fc.constantFrom("any", "1", "1-3", "2-4", "3"),
      allowedRoleID: fc.constantFrom(null, "a", "b"),
      allowedTags: fc.subarray(["x:1", "y:2"]),
    })
    .map((part): RuleValues => ({ ...newRule, ...part }));
  const anyRules = fc.array(anyRule, { maxLength: 5 });

  interface Packet {
    protocol: "TCP" | "UDP" | "ICMP" | "OTHER";
    port: number;
    roleID: string | null;
    tags: string[];
  }
  const packet: fc.Arbitrary<Packet> = fc.record({
    protocol: fc.constantFrom("TCP", "UDP", "ICMP", "OTHER"),
    port: fc.integer({ min: 1, max: 6 }),
    roleID: fc.constantFrom(null, "a", "b", "c"),
    tags: fc.subarray(["x:1", "y:2", "z:3"]),
  });
  const comesFrom = ({ roleID, tags }: { roleID: string | null; tags: readonly string[] }, sent: Packet) =>
    (roleID === null || roleID === sent.roleID) && tags.every((tag) => sent.tags.includes(tag));

  /** Decides as Nebula does. */
  function isAllowed(rules: readonly RuleValues[], sent: Packet): boolean {
    return rules.some(({ protocol, ports, allowedRoleID, allowedTags }) => {
      if (!comesFrom({ roleID: allowedRoleID, tags: allowedTags }, sent)) return false;
      if (protocol !== "ANY" && protocol !== sent.protocol) return false;
      if (protocol === "ICMP" || ports === "any") return true;
      const [from = 0, to = from] = ports.split("-").map(Number);
      return ["TCP", "UDP"].includes(sent.protocol) && from <= sent.port && sent.port <= to;
    });
  }
  const isListed = (ruleChanges: readonly RuleChange[], sent: Packet) =>
    ruleChanges.some(
      (change) =>
        comesFrom(change, sent) &&
        !change.except.some((one) => comesFrom(one, sent)) &&
        change.traffic[sent.protocol].some(({ from, to }) => from <= sent.port && sent.port <= to),
    );

  it("lists exactly the packets that are newly allowed or no longer allowed", () => {
    fc.assert(
      fc.property(anyRules, anyRules, packet, (saved, edited, sent) => {
        const { added, removed } = ruleChanges({ rules: saved }, { rules: edited });
        const [was, is] = [isAllowed(saved, sent), isAllowed(edited, sent)];
        expect(isListed(added, sent)).toBe(is && !was);
        expect(isListed(removed, sent)).toBe(was && !is);
      }),
      { numRuns: 2000 },
    );
  });
});
