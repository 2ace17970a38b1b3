import { auditEventTypes, auditTargetTypes, type AuditActor, type AuditLog } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import type { Part } from "../references/audit-target.ts";
import { describeAction, sentenceOf } from "./sentences.ts";

const ID = "A".repeat(26);
const ada: AuditActor = { type: "user", id: `user-${ID}`, email: "ada@example.com" };
const system: AuditActor = { type: "system" };
const host: AuditActor = { type: "host", id: `host-${ID}`, name: "web-1" };

const entry = (
  target: AuditLog["target"]["type"],
  event: AuditLog["event"]["type"],
  [before, after]: [AuditLog["event"]["before"], AuditLog["event"]["after"]] = [null, null],
  more: Partial<AuditLog> = {},
): AuditLog => ({
  id: `log-${ID}`,
  organizationID: `org-${ID}`,
  timestamp: "2026-11-15T08:00:00.000001Z",
  actor: ada,
  target: { type: target, id: `${target}-${ID}` },
  event: { type: event, before, after },
  actorAddress: null,
  actorName: null,
  targetName: "Thing",
  ...more,
});

const known: Readonly<Record<string, string>> = { "role-ops": "Ops", [`network-${ID}`]: "Production" };
const toText = (parts: readonly Part[]) =>
  parts
    .map((part) => {
      if (typeof part === "string") return part;
      if ("strong" in part) return part.strong;
      return part.object.name ?? known[part.object.id] ?? part.object.id;
    })
    .join("");
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

type Row = [sentence: string, entry: AuditLog];
const nameless = { targetName: null };
const onDomain = { ...nameless, target: { type: "domain", id: "example.com" } } as const;
const ofDevice = { email: "ada@example.com" };

const rows: Row[] = [
  ["readmitted Thing", entry("user", "UPDATED", [{ removed: true }, { removed: false }])],
  ["added domain example.com", entry("domain", "CREATED", [null, {}], onDomain)],
  [
    "verified domain example.com",
    entry("domain", "UPDATED", [{ isVerified: false }, { isVerified: true }], onDomain),
  ],
  ["removed domain example.com", entry("domain", "DELETED", [{}, null], onDomain)],
  ["requested approval of a device", entry("deviceRequest", "CREATED", [null, ofDevice], nameless)],
  [
    "approved the device of ada@example.com",
    entry("deviceRequest", "UPDATED", [ofDevice, ofDevice], nameless),
  ],
  ["rejected the device of ada@example.com", entry("deviceRequest", "DELETED", [ofDevice, null], nameless)],
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
  ["added API key Thing", entry("apiKey", "CREATED")],
  [
    "replaced the token of API key Thing",
    entry("apiKey", "UPDATED", [{ name: "x" }, { name: "x", rotated: true, previousExpiresAt: "2026" }]),
  ],
  [
    "added hosts:list to API key Thing",
    entry("apiKey", "UPDATED", [{ scopes: [] }, { scopes: ["hosts:list"] }]),
  ],
  ["added authenticator Thing", entry("totp", "CREATED_TOTP", [null, { name: "Thing" }])],
  [
    "deleted authenticator Phone",
    entry("totp", "DELETED_TOTP", [{ name: "Phone" }, null], { targetName: null }),
  ],
  ["joined as owner", entry("user", "CREATED", [null, { email: "ada@example.com", role: "owner" }])],
  [
    "invited grace@example.com as auditor",
    entry("user", "CREATED", [null, { email: "grace@example.com", role: "auditor", invited: true }], {
      target: { type: "user", id: "invitation-1" },
      targetName: "grace@example.com",
    }),
  ],
  [
    "changed the role of grace@example.com to administrator",
    entry("user", "UPDATED", [{ role: "auditor" }, { role: "administrator" }], {
      targetName: "grace@example.com",
    }),
  ],
  [
    "removed grace@example.com",
    entry("user", "DELETED", [{ email: "grace@example.com" }, null], {
      target: { type: "user", id: "user-grace" },
      targetName: null,
    }),
  ],
  [
    "withdrew the invitation of grace@example.com",
    entry("user", "DELETED", [{ email: "grace@example.com", invited: true }, null], {
      target: { type: "user", id: "invite-grace" },
      targetName: null,
    }),
  ],
  [
    "left the organization",
    entry("user", "DELETED", [{ email: "ada@example.com" }, null], {
      target: { type: "user", id: `user-${ID}` },
    }),
  ],
  [
    "left the organization",
    entry("user", "DELETED", [{ email: "ada@example.com" }, null], {
      actor: { type: "oidcUser", email: "ada@example.com", issuer: "https://id.example.com", subject: "ada" },
    }),
  ],
  [
    "declined the invitation",
    entry("user", "DELETED", [{ email: "grace@example.com", invited: true }, null], {
      actor: { type: "user", id: `invite-${ID}`, email: "grace@example.com" },
      target: { type: "user", id: `invite-${ID}` },
    }),
  ],
  ["logged in by magic link", entry("user", "SUCCEEDED_AUTH", [null, { factor: "magicLink" }])],
  ["logged in with the second factor", entry("user", "SUCCEEDED_AUTH", [null, { factor: "totp" }])],
  [
    "failed to sign in with single sign-on: not allowed",
    entry("oidcProvider", "FAILED_AUTH", [null, { factor: "sso", reason: "not allowed" }]),
  ],
  ["set up single sign-on", entry("oidcProvider", "CREATED", [null, { name: "Okta" }], { targetName: null })],
  [
    "changed issuer of single sign-on",
    entry("oidcProvider", "UPDATED", [{ issuerURL: "a" }, { issuerURL: "b" }], { targetName: null }),
  ],
  ["removed single sign-on", entry("oidcProvider", "DELETED", [{ name: "Okta" }, null])],
  ["changed the plan to pro", entry("billing", "UPDATED", [{ plan: "free" }, { plan: "pro" }])],
  [
    "changed payment method of billing",
    entry("billing", "UPDATED", [
      { plan: "pro", paymentMethod: null },
      { plan: "pro", paymentMethod: "x" },
    ]),
  ],
  ["created the organization", entry("organization", "CREATED", [null, { name: "example.com" }])],
  [
    "turned the feature LIST_CERT_AUTHORITIES on",
    entry("organization", "UPDATED", [
      { featureFlags: {} },
      { featureFlags: { LIST_CERT_AUTHORITIES: true } },
    ]),
  ],
  ["deleted the organization", entry("organization", "DELETED", [{ name: "example.com" }, null])],
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
