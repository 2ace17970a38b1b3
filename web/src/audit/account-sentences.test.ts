import type { AuditLog } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { entry, ID, toText } from "../testing/audit-entries.ts";
import { describeAction } from "./sentences.ts";

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
  [
    "logged in with a recovery code, 7 left",
    entry("user", "SUCCEEDED_AUTH", [null, { factor: "recoveryCode", unusedRecoveryCodes: 7 }]),
  ],
  ["failed to log in with a recovery code", entry("user", "FAILED_AUTH", [null, { factor: "recoveryCode" }])],
  [
    "generated new recovery codes",
    entry("user", "CREATED_RECOVERY_CODES", [null, { unusedRecoveryCodes: 10 }]),
  ],
  [
    "created a login link for ada@example.com",
    entry("user", "CREATED_LOGIN_LINK", [null, { email: "ada@example.com" }], {
      actor: { type: "support" },
      targetName: "ada@example.com",
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
});
