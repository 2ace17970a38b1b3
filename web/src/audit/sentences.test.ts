import { auditEventTypes, auditTargetTypes, type AuditActor, type AuditLog } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import type { Part } from "../references/audit-target.ts";
import { ada, entry, ID, toText } from "../testing/audit-entries.ts";
import { describeAction, sentenceOf } from "./sentences.ts";

const system: AuditActor = { type: "system" };
const host: AuditActor = { type: "host", id: `host-${ID}`, name: "web-1" };

const linked = (parts: readonly Part[]) =>
  parts.flatMap((part) =>
    typeof part === "object" && "object" in part ? [`${part.object.type}:${part.object.id}`] : [],
  );

const rule = (protocol: string, port: number | null, more: object = {}) => ({
  protocol,
  portRange: port === null ? null : { from: port, to: port },
  allowedRoleID: null,
  allowedTags: [],
  description: "",
  ...more,
});
const ssh = rule("TCP", 22, { allowedRoleID: "role-ops" });
const dns = rule("UDP", 53);

const upgradeAt = (step: string, more: object = {}) => ({
  step,
  isReverting: false,
  isForced: false,
  cidr: "fd12::/64",
  ...more,
});

type Row = [sentence: string, entry: AuditLog];
const rows: Row[] = [
  [
    "added host Thing to network Production",
    entry("host", "CREATED", [null, { networkID: `network-${ID}` }]),
  ],
  ["renamed host a to b", entry("host", "UPDATED", [{ name: "a" }, { name: "b" }])],
  ["added tag x:1 to host Thing", entry("host", "UPDATED", [{ tags: [] }, { tags: ["x:1"] }])],
  [
    "removed tag x:1 and tag y:2 from host Thing",
    entry("host", "UPDATED", [{ tags: ["x:1", "y:2"] }, { tags: [] }]),
  ],
  ["changed tags of host Thing", entry("host", "UPDATED", [{ tags: ["x:1"] }, { tags: ["y:2"] }])],
  ["assigned role Ops to host Thing", entry("host", "UPDATED", [{ roleID: null }, { roleID: "role-ops" }])],
  ["removed role Ops from host Thing", entry("host", "UPDATED", [{ roleID: "role-ops" }, { roleID: null }])],
  [
    "changed name, role and listen port of host Thing",
    entry("host", "UPDATED", [
      { name: "a", roleID: null, listenPort: 0 },
      { name: "b", roleID: "role-ops", listenPort: 4242 },
    ]),
  ],
  [
    "revoked a certificate of host Thing",
    entry("host", "UPDATED", [null, { revokedCertificates: [{ fingerprint: "ab" }] }]),
  ],
  [
    "set tun.mtu to 1400 on host Thing",
    entry("host", "SET_OVERRIDES", [
      { configOverrides: [{ key: "tun.mtu", value: 1300 }] },
      { configOverrides: [{ key: "tun.mtu", value: 1400 }] },
    ]),
  ],
  [
    "removed the setting logging.level from host Thing",
    entry("host", "SET_OVERRIDES", [
      { configOverrides: [{ key: "logging.level", value: "debug" }] },
      { configOverrides: [] },
    ]),
  ],
  [
    "changed Nebula settings of host Thing",
    entry("host", "SET_OVERRIDES", [
      { configOverrides: [] },
      {
        configOverrides: [
          { key: "a", value: 1 },
          { key: "b", value: 2 },
        ],
      },
    ]),
  ],
  ["deleted host web-9", entry("host", "DELETED", [{ name: "web-9" }, null], { targetName: null })],
  ["enrolled", entry("host", "ENROLLED", [null, { fingerprint: "ab" }], { actor: host })],
  ["renewed its certificate", entry("host", "RENEWED", [null, null], { actor: host })],
  ["renewed the certificate of host Thing", entry("host", "RENEWED")],
  ["created an enrollment code for host Thing", entry("host", "CREATED_ENROLL_CODE")],
  ["blocked host Thing", entry("host", "BLOCKED_HOST", [{ isBlocked: false }, { isBlocked: true }])],
  ["unblocked host Thing", entry("host", "UNBLOCKED_HOST", [{ isBlocked: true }, { isBlocked: false }])],
  ["added role Thing", entry("role", "CREATED", [null, { name: "Thing", firewallRules: [] }])],
  [
    "added TCP 22 from role Ops to role Thing",
    entry("role", "UPDATED", [{ firewallRules: [dns] }, { firewallRules: [ssh, dns] }]),
  ],
  [
    "added TCP 22 from role Ops and removed UDP 53 from any host in role Thing",
    entry("role", "UPDATED", [{ firewallRules: [dns] }, { firewallRules: [ssh] }]),
  ],
  [
    "added 2 rules and removed 1 rule of role Thing",
    entry("role", "UPDATED", [{ firewallRules: [dns] }, { firewallRules: [ssh, rule("ICMP", null)] }]),
  ],
  [
    "reordered the rules of role Thing",
    entry("role", "UPDATED", [{ firewallRules: [dns, ssh] }, { firewallRules: [ssh, dns] }]),
  ],
  [
    "added all traffic from hosts with tag a:1 and tag b:2 to tag env:prod",
    entry(
      "tag",
      "UPDATED",
      [{ firewallRules: [] }, { firewallRules: [rule("ANY", null, { allowedTags: ["a:1", "b:2"] })] }],
      { target: { type: "tag", id: "env:prod" }, targetName: "env:prod" },
    ),
  ],
  ["changed the priority of tag Thing", entry("tag", "UPDATED", [{ priority: 1 }, { priority: 2 }])],
  [
    "deleted tag env:old",
    entry("tag", "DELETED", [{ description: "" }, null], {
      target: { type: "tag", id: "env:old" },
      targetName: null,
    }),
  ],
  [
    "added 10.8.0.0/16 to route Thing",
    entry("route", "UPDATED", [
      { routableCIDRs: {} },
      { routableCIDRs: { "10.8.0.0/16": { install: true } } },
    ]),
  ],
  [
    "changed router of route Thing",
    entry("route", "UPDATED", [{ routerHostID: null }, { routerHostID: "h" }]),
  ],
  [
    "added 10.1.0.0/16 to network Thing",
    entry("network", "UPDATED", [{ cidrs: ["fd12::/64"] }, { cidrs: ["10.1.0.0/16", "fd12::/64"] }]),
  ],
  [
    "changed certificate version and address ranges of network Thing",
    entry("network", "UPDATED", [
      { certVersion: 1, cidrs: ["10.1.0.0/16"] },
      { certVersion: 2, cidrs: ["10.1.0.0/16", "fd12::/64"] },
    ]),
  ],
  [
    "added fd12::7 to host Thing",
    entry("host", "UPDATED", [{ ipAddresses: ["100.100.0.7"] }, { ipAddresses: ["100.100.0.7", "fd12::7"] }]),
  ],
  ["added network Thing", entry("network", "CREATED", [null, { name: "Thing" }])],
  [
    "changed lighthouses as relays of network Thing",
    entry("network", "UPDATED", [{ lighthousesAsRelays: false }, { lighthousesAsRelays: true }]),
  ],
  [
    "started rotating the CA of network Thing",
    entry("network", "UPDATED", [{ rotation: null }, { rotation: { step: "TRUST", isForced: false } }]),
  ],
  [
    "forced the CA rotation of network Thing",
    entry("network", "UPDATED", [{ rotation: null }, { rotation: { step: "TRUST", isForced: true } }]),
  ],
  [
    "started the upgrade to version 2 certificates of network Thing",
    entry("network", "UPDATED", [{ upgrade: null }, { upgrade: upgradeAt("NEBULA") }]),
  ],
  [
    "started the step Distribute the new CA in the upgrade of network Thing",
    entry("network", "UPDATED", [{ upgrade: upgradeAt("NEBULA") }, { upgrade: upgradeAt("TRUST") }]),
  ],
  [
    "skipped hosts in the upgrade of network Thing",
    entry("network", "UPDATED", [
      { upgrade: upgradeAt("TRUST") },
      { upgrade: upgradeAt("TRUST", { isForced: true }) },
    ]),
  ],
  [
    "started to revert the upgrade of network Thing",
    entry("network", "UPDATED", [
      { upgrade: upgradeAt("INITIATE") },
      { upgrade: upgradeAt("BOTH", { isReverting: true }) },
    ]),
  ],
  [
    "continued to revert the upgrade of network Thing",
    entry("network", "UPDATED", [
      { upgrade: upgradeAt("BOTH", { isReverting: true }) },
      { upgrade: upgradeAt("TRUST", { isReverting: true }) },
    ]),
  ],
  [
    "reverted the upgrade to version 2 certificates of network Thing",
    entry("network", "UPDATED", [{ upgrade: upgradeAt("TRUST", { isReverting: true }) }, { upgrade: null }]),
  ],
  [
    "completed the upgrade to version 2 certificates of network Thing",
    entry("network", "UPDATED", [{ upgrade: upgradeAt("ONLY") }, { upgrade: upgradeAt("DONE") }]),
  ],
  [
    "set the signing CA of network Thing",
    entry("network", "SET_NETWORK_CA", [null, { signingCAID: "ca-1" }]),
  ],
  [
    "changed the signing CA of network Thing",
    entry("network", "SET_NETWORK_CA", [{ signingCAID: "ca-1" }, { signingCAID: "ca-2" }]),
  ],
  ["added certificate authority Thing", entry("ca", "CREATED")],
  [
    "stopped trusting certificate authority Thing",
    entry("ca", "UPDATED", [{ state: "TRUSTED" }, { state: "RETIRED" }]),
  ],
  [
    "made certificate authority Thing the signing CA",
    entry("ca", "UPDATED", [{ state: "PENDING" }, { state: "SIGNING" }]),
  ],
];

describe("the action", () => {
  it.each(rows)("is described as: %s", (sentence, auditLog) =>
    expect(toText(describeAction(auditLog))).toBe(sentence),
  );

  it("can be described for every type of object and every event, with any snapshot", () => {
    const snapshots: [AuditLog["event"]["before"], AuditLog["event"]["after"]][] = [
      [null, null],
      ["text", "other"],
      [
        { name: "a", odd: [{}] },
        { name: "b", odd: null },
      ],
      [{ firewallRules: "none", tags: 7, configOverrides: [1] }, null],
    ];
    for (const target of auditTargetTypes)
      for (const event of auditEventTypes)
        for (const both of snapshots) {
          const text = toText(describeAction(entry(target, event, both)));
          expect(text).toMatch(/^[a-z].{3,}[^ ]$/);
          expect(text).not.toMatch(/undefined|null|\[object|  /);
        }
  });
});

describe("the actor", () => {
  const by = (actor: AuditActor, actorName: string | null = null) =>
    toText(sentenceOf(entry("role", "CREATED", [null, null], { actor, actorName })));

  it.each<[string, AuditActor]>([
    ["ada@example.com added role Thing", ada],
    [
      "grace@example.com added role Thing",
      { type: "oidcUser", email: "grace@example.com", issuer: "https://id.example.com", subject: "grace" },
    ],
    ["API key terraform added role Thing", { type: "apiKey", id: "lkkey-A", name: "terraform" }],
    ["API key lkkey-A added role Thing", { type: "apiKey", id: "lkkey-A", name: null }],
    ["Host web-1 added role Thing", host],
    ["Support added role Thing", { type: "support" }],
    ["Lightkeeper added role Thing", system],
  ])("is described as: %s", (sentence, actor) => expect(by(actor)).toBe(sentence));

  it("is shown with the current name of a key", () => {
    expect(by({ type: "apiKey", id: "lkkey-A", name: "old" }, "new")).toBe("API key new added role Thing");
  });
});

it("contains its objects, so that they can be links", () => {
  const { before, after } = { before: { firewallRules: [] }, after: { firewallRules: [ssh] } };
  expect(linked(sentenceOf(entry("role", "UPDATED", [before, after])))).toEqual([
    "role:role-ops",
    `role:role-${ID}`,
  ]);
});
