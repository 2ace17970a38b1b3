/** Bodies with fields that the caller may not set, such as the role that CVE-2026-29195 let people assign to themselves. */
import { describe, expect, it } from "vitest";
import { endpoints } from "./endpoints.ts";
import { exampleBody } from "./reference/examples.ts";

const PRIVILEGED = {
  id: "user-AAAAAAAAAAAAAAAAAAAAAAAAAA",
  organizationID: "org-AAAAAAAAAAAAAAAAAAAAAAAAAA",
  isAdmin: true,
  role: "owner",
  roles: ["owner"],
  plan: "pro",
  scopes: ["hosts:delete"],
  isBlocked: false,
  createdAt: "2020-01-01T00:00:00Z",
  enrolledAt: "2020-01-01T00:00:00Z",
  certificateExpiresAt: "2099-01-01T00:00:00Z",
  emailVerified: true,
  privateKey: "key",
};

/** The fields that the call offers, by name. Who may call it is tested for every role by the guard tests of the server. */
const OFFERED = new Set([
  "createApiKey scopes",
  "updateApiKey scopes",
  "inviteMember role",
  "updateMember role",
  "acceptInvitation role",
  "signup plan",
  "lintRules id",
]);

const withBody = [...endpoints].filter(([, { body }]) => body !== undefined);

describe("a body", () => {
  it.each(withBody)("of %s passes on no field that the call doesn't offer", (name, endpoint) => {
    const example = exampleBody(name, endpoint) as object;
    const accepted = Object.entries(PRIVILEGED).filter(([field, value]) => {
      if (Object.hasOwn(example, field) || OFFERED.has(`${name} ${field}`)) return false;
      const parsed = endpoint.body?.safeParse({ ...example, [field]: value });
      return parsed?.success && Object.hasOwn(parsed.data as object, field);
    });
    expect(accepted).toEqual([]);
  });
});
