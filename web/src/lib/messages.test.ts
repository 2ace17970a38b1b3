import { ValidationError, type ErrorEntry } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { reword } from "./errors.ts";
import * as messages from "./messages.ts";
import type { Rule } from "./messages.ts";

function say(rule: Rule, entry: Omit<ErrorEntry, "message">): string {
  const error = new ValidationError(new Response(null, { status: 400 }), [{ message: "as sent", ...entry }]);
  return reword(error, [rule]).fieldErrors[0]!.message;
}

const fields: [string, Rule, string, string, string][] = [
  [
    "[S5.2]",
    messages.networkNameTaken,
    "name",
    "ERR_DUPLICATE_VALUE",
    "You already have a network with this name, try another",
  ],
  [
    "[S5.3]",
    messages.emailInvalid,
    "email",
    "ERR_INVALID_EMAIL",
    "That doesn\u2019t look like a valid email format.",
  ],
  [
    "[S5.4]",
    messages.magicLinkInvalid,
    "magicLinkToken",
    "ERR_INVALID_MAGIC_LINK_TOKEN",
    "Magic link was invalid",
  ],
  ["[S5.4]", messages.magicLinkInvalid, "magicLinkToken", "ERR_INVALID_VALUE", "Magic link was invalid"],
  [
    "[S5.5]",
    messages.secondFactorCodeInvalid,
    "code",
    "ERR_INVALID_TOTP_CODE",
    "That code didn\u2018t work, please try again.",
  ],
  [
    "[S5.6]",
    messages.authenticatorSetupExpired,
    "totpToken",
    "ERR_INVALID_TOTP_TOKEN",
    "The QR code expired, please re-scan and try again.",
  ],
  [
    "[S5.7]",
    messages.authenticatorSetupCodeInvalid,
    "code",
    "ERR_INVALID_TOTP_CODE",
    "The code was not valid \u2014 perhaps it expired?",
  ],
  [
    "[S5.8]",
    messages.oidcRequestTokenInvalid,
    "oidcRequestToken",
    "ERR_INVALID_OIDC_REQUEST_TOKEN",
    "Could not complete authentication. Please try logging in again.",
  ],
];

const others: [string, Rule, Omit<ErrorEntry, "message">, string][] = [
  [
    "[S8.7]",
    messages.tooManyRequests,
    { code: "ERR_TOO_MANY_REQUESTS" },
    "Too many requests, please try again later.",
  ],
  [
    "[S8.7]",
    messages.tooManySignups,
    { code: "ERR_TOO_MANY_REQUESTS", path: "email" },
    "Too many requests, please try again later.",
  ],
  [
    "[S8.8]",
    messages.enrollmentRequired,
    { code: "ERR_2FA_ENROLLMENT_REQUIRED" },
    "TOTP (re)enrollment is required.",
  ],
  [
    "[S8.9]",
    messages.oidcNotConfigured,
    { code: "ERR_OIDC_NOT_CONFIGURED" },
    "Single Sign-On is not configured.",
  ],
  [
    "[S8.10]",
    messages.oidcProviderMismatch,
    { code: "ERR_OIDC_PROVIDER_MISMATCH" },
    "The identity provider changed. Please try logging in again.",
  ],
  [
    "[S8.11]",
    messages.oidcExchangeFailed,
    { code: "ERR_OIDC_EXCHANGE_CODE" },
    "There was an error communicating with your SSO provider. Please contact your administrator.",
  ],
  [
    "[S8.12]",
    messages.oidcClaimsMissing,
    { code: "ERR_OIDC_MISSING_CLAIMS", extra: { missingClaims: ["email", "groups"] } },
    "Your identity provider left out required claims: email, groups. Please contact your administrator.",
  ],
  [
    "[S8.12]",
    messages.oidcClaimsMissing,
    { code: "ERR_OIDC_MISSING_CLAIMS" },
    "Your identity provider left out required claims. Please contact your administrator.",
  ],
  [
    "[S8.13]",
    messages.oidcProviderInaccessible,
    { code: "ERR_OIDC_PROVIDER_INACCESSIBLE" },
    "OIDC Provider is not responding. Please try again in a few minutes",
  ],
  [
    "[S8.14]",
    messages.networkHasDependents,
    { code: "ERR_HAS_DEPENDENTS" },
    "This network contains hosts, relays, and/or lighthouses.\u0020\u0020Please delete them and try again.",
  ],
  [
    "[S8.15]",
    messages.billingInvalidState,
    { code: "ERR_BILLING_INVALID_STATE" },
    "Please downgrade to the Free plan before deleting your account.",
  ],
  [
    "[S8.16]",
    messages.authenticatorLimitExceeded,
    { code: "ERR_LIMIT_EXCEEDED", extra: { limit: 10 } },
    "You have already created the maximum number of authenticators for this organization (10).",
  ],
  [
    "[S8.16]",
    messages.authenticatorLimitExceeded,
    { code: "ERR_LIMIT_EXCEEDED" },
    "You have already created the maximum number of authenticators for this organization.",
  ],
];

describe("the messages of fields", () => {
  it.each(fields)("%s shows the exact message", (_, rule, path, code, message) => {
    expect(say(rule, { path, code })).toBe(message);
  });

  it.each(fields)("%s ignores other fields and codes", (_, rule, path, code) => {
    expect(say(rule, { path: "somewhereElse", code })).toBe("as sent");
    expect(say(rule, { path, code: "ERR_OTHER" })).toBe("as sent");
  });
});

describe("the messages of codes", () => {
  it.each(others)("%s shows the exact message", (_, rule, entry, message) => {
    expect(say(rule, entry)).toBe(message);
  });

  it("limits too many requests to entries without a path, except on sign-up [S8.7]", () => {
    expect(say(messages.tooManyRequests, { code: "ERR_TOO_MANY_REQUESTS", path: "email" })).toBe("as sent");
  });

  it("omits a limit that is not a number [S8.16]", () => {
    const extra = { limit: "ten" as unknown as number };
    expect(say(messages.authenticatorLimitExceeded, { code: "ERR_LIMIT_EXCEEDED", extra })).toBe(
      "You have already created the maximum number of authenticators for this organization.",
    );
  });

  it("has a message for a missing single sign-on state [S8.6]", () => {
    expect(messages.OIDC_STATE_MISSING).toBe("Could not find oidc state code in storage.");
  });
});
