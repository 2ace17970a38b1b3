import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { networkWords, trafficWords } from "./change-words.ts";
import { ruleChanges, type RuleChange, type RuleSet } from "./rule-changes.ts";
import { EVERY_NETWORK, newRule, type RuleValues } from "./rule-values.ts";

const rule = (traffic: string, from: Partial<RuleValues> = {}): RuleValues => {
  const [protocol, ports = "any"] = traffic.split(/ (.*)/) as [RuleValues["protocol"], string?];
  return { ...newRule, protocol, ports, ...from };
};
const sourceWords = ({ roleID, tags }: Pick<RuleChange, "roleID" | "tags">) =>
  [roleID && `role ${roleID}`, ...tags.map((tag) => `tag ${tag}`)].filter(Boolean).join(" with ");
const words = (change: RuleChange) => {
  const { networks, except } = change;
  return [
    `${trafficWords(change)} from ${sourceWords(change) || "any host"}`,
    networks.length > 0 && ` to ${networkWords(networks)}`,
    ...except.map((one) => `, except ${[sourceWords(one), one.network].filter(Boolean).join(" to ")}`),
  ]
    .filter(Boolean)
    .join("");
};
const changes = (saved: RuleSet, edited: RuleSet) => {
  const { opens, closes } = ruleChanges(saved, edited);
  return { opens: opens.map(words), closes: closes.map(words) };
};
const ofRules = (saved: RuleValues[], edited: RuleValues[]) => changes({ rules: saved }, { rules: edited });
const nothing = { opens: [], closes: [] };

const ssh = rule("TCP 22");
const fromWeb = { allowedRoleID: "web" };

describe("what a change of rules opens and closes", () => {
  it("is what a new rule lets in, and what a removed one did", () => {
    expect(ofRules([ssh], [rule("TCP 443", fromWeb)])).toEqual({
      opens: ["TCP 443 (HTTPS) from role web"],
      closes: ["TCP 22 (SSH) from any host"],
    });
  });

  it("is nothing for the same in other words: another order, a description, a list as several rules", () => {
    const https = rule("TCP 443", fromWeb);
    expect(ofRules([ssh, https], [https, { ...ssh, description: "the office" }])).toEqual(nothing);
    expect(ofRules([rule("TCP 22, 443")], [rule("TCP 443"), ssh])).toEqual(nothing);
    expect(ofRules([rule("TCP 1-100"), rule("TCP 101-200")], [rule("TCP 1-200")])).toEqual(nothing);
    expect(ofRules([rule("ANY 53")], [rule("TCP 53"), rule("UDP 53")])).toEqual(nothing);
  });

  it("is the difference alone where ports overlap", () => {
    expect(ofRules([rule("TCP 8000-8010")], [rule("TCP 8005-8020")])).toEqual({
      opens: ["TCP 8011-8020 from any host"],
      closes: ["TCP 8000-8004 from any host"],
    });
    expect(ofRules([rule("ANY")], [rule("TCP 22")]).closes).toEqual([
      "TCP 1-21 and 23-65535, all UDP, ICMP, and other protocols from any host",
    ]);
    expect(ofRules([], [rule("ANY")]).opens).toEqual(["everything from any host"]);
    expect(ofRules([], [rule("ANY 53")]).opens).toEqual(["TCP and UDP 53 (DNS) from any host"]);
  });

  it("knows who is among whom: a narrower rule opens nothing beside a wider one", () => {
    const prod = { ...fromWeb, allowedTags: ["env:prod"] };
    expect(ofRules([ssh], [ssh, rule("TCP 22", prod)])).toEqual(nothing);
    expect(ofRules([ssh], [rule("TCP 22", fromWeb)]).closes).toEqual([
      "TCP 22 (SSH) from any host, except role web",
    ]);
    expect(ofRules([rule("TCP 22", fromWeb)], [rule("TCP 22", prod)])).toEqual({
      opens: [],
      closes: ["TCP 22 (SSH) from role web, except tag env:prod"],
    });
    expect(ofRules([rule("TCP 22", prod)], [rule("TCP 22", { allowedTags: ["env:prod"] })])).toEqual({
      opens: ["TCP 22 (SSH) from tag env:prod, except role web"],
      closes: [],
    });
  });

  it("names an exception for the ports it is true of, and none within another", () => {
    const prod = { ...fromWeb, allowedTags: ["env:prod"] };
    expect(ofRules([rule("TCP 22", fromWeb), rule("TCP 20-30", prod)], [rule("TCP 20-25")]).opens).toEqual([
      "TCP 20-21 and 23-25 from any host, except role web with tag env:prod",
      "TCP 22 (SSH) from any host, except role web",
    ]);
  });

  it("says a thing once where two new rules let it in", () => {
    expect(ofRules([], [rule("TCP 22", fromWeb), ssh, ssh]).opens).toEqual(["TCP 22 (SSH) from any host"]);
  });

  it("leaves out a rule that is still being typed", () => {
    expect(ofRules([], [{ ...newRule, ports: "" }, rule("TCP 99999")])).toEqual(nothing);
  });
});

describe("of a route", () => {
  const networks = ["192.168.4.0/24", "10.8.0.0/16"];
  const to = (localCIDR: string) => rule("TCP 22", { localCIDR });

  it("names the networks, all of them for a rule about every one", () => {
    expect(changes({ rules: [], networks }, { rules: [to(EVERY_NETWORK)], networks }).opens).toEqual([
      "TCP 22 (SSH) from any host to 192.168.4.0/24 and 10.8.0.0/16",
    ]);
    expect(
      changes({ rules: [to(EVERY_NETWORK)], networks }, { rules: [to("10.8.0.0/16")], networks }),
    ).toEqual({
      opens: [],
      closes: ["TCP 22 (SSH) from any host to 192.168.4.0/24"],
    });
  });

  it("sees a network that comes or goes without any rule being touched", () => {
    const rules = [to(EVERY_NETWORK)];
    expect(changes({ rules, networks }, { rules, networks: ["192.168.4.0/24", "172.16.0.0/12"] })).toEqual({
      opens: ["TCP 22 (SSH) from any host to 172.16.0.0/12"],
      closes: ["TCP 22 (SSH) from any host to 10.8.0.0/16"],
    });
  });

  it("never opens more than the route has, nor what is no network yet", () => {
    expect(changes({ rules: [], networks }, { rules: [to("172.16.0.0/12")], networks })).toEqual(nothing);
    expect(changes({ rules: [], networks: [] }, { rules: [to(EVERY_NETWORK)], networks: ["10.8."] })).toEqual(
      nothing,
    );
  });

  it("leaves out the part of a network that stays as it was", () => {
    expect(
      changes({ rules: [to("10.8.1.0/24")], networks }, { rules: [to("10.8.0.0/16")], networks }),
    ).toEqual({
      opens: ["TCP 22 (SSH) from any host to 10.8.0.0/16, except 10.8.1.0/24"],
      closes: [],
    });
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

  /** As Nebula would decide. */
  function isLetIn(rules: readonly RuleValues[], sent: Packet): boolean {
    return rules.some(({ protocol, ports, allowedRoleID, allowedTags }) => {
      if (!comesFrom({ roleID: allowedRoleID, tags: allowedTags }, sent)) return false;
      if (protocol !== "ANY" && protocol !== sent.protocol) return false;
      if (protocol === "ICMP" || ports === "any") return true;
      const [from = 0, to = from] = ports.split("-").map(Number);
      return ["TCP", "UDP"].includes(sent.protocol) && from <= sent.port && sent.port <= to;
    });
  }
  const isNamed = (said: readonly RuleChange[], sent: Packet) =>
    said.some(
      (change) =>
        comesFrom(change, sent) &&
        !change.except.some((one) => comesFrom(one, sent)) &&
        change.traffic[sent.protocol].some(({ from, to }) => from <= sent.port && sent.port <= to),
    );

  it("exactly the packets that are newly let in, or no longer, are named", () => {
    fc.assert(
      fc.property(anyRules, anyRules, packet, (saved, edited, sent) => {
        const { opens, closes } = ruleChanges({ rules: saved }, { rules: edited });
        const [was, is] = [isLetIn(saved, sent), isLetIn(edited, sent)];
        expect(isNamed(opens, sent)).toBe(is && !was);
        expect(isNamed(closes, sent)).toBe(was && !is);
      }),
      { numRuns: 2000 },
    );
  });
});
