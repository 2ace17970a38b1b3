/** Every message that the console shows for an error code of the server. */
import type { ErrorEntry } from "@lightkeeper/contract";

export interface Rule {
  codes: readonly string[];
  /** The field it applies to; `null`: only entries without a path; absent: any path. */
  path?: string | null;
  message: string | ((entry: ErrorEntry) => string);
}

export const networkNameTaken: Rule = {
  path: "name",
  codes: ["ERR_DUPLICATE_VALUE"],
  message: "You already have a network with this name, try another",
};

const nameTaken = (noun: string): Rule => ({
  path: "name",
  codes: ["ERR_DUPLICATE_VALUE"],
  message: `You already have a ${noun} with this name, try another`,
});
export const roleNameTaken: Rule = nameTaken("role");
export const routeNameTaken: Rule = nameTaken("route");
export const tagNameTaken: Rule = nameTaken("tag");

/** Someone deleted the object while the form was open. */
export const referenceGone: Rule = {
  codes: ["ERR_INVALID_REFERENCE"],
  message: "This no longer exists. Choose another one.",
};

export const roleHasDependents: Rule = {
  codes: ["ERR_HAS_DEPENDENTS"],
  message: "This role is in use. Remove it from:",
};

export const tagHasDependents: Rule = {
  codes: ["ERR_HAS_DEPENDENTS"],
  message: "This tag is in use. Remove it from:",
};

export const emailInvalid: Rule = {
  path: "email",
  codes: ["ERR_INVALID_EMAIL"],
  message: "That doesn’t look like a valid email format.",
};

export const setupCodeInvalid: Rule = {
  path: "setupCode",
  codes: ["ERR_INVALID_SETUP_CODE", "ERR_INVALID_VALUE_LENGTH"],
  message: "This code doesn’t match. Enter the newest setup code from the server’s log.",
};

export const magicLinkInvalid: Rule = {
  path: "magicLinkToken",
  codes: ["ERR_INVALID_MAGIC_LINK_TOKEN", "ERR_INVALID_VALUE"],
  message: "Magic link was invalid",
};

export const secondFactorCodeInvalid: Rule = {
  path: "code",
  codes: ["ERR_INVALID_TOTP_CODE"],
  message: "That code didn‘t work, please try again.",
};

export const authenticatorSetupExpired: Rule = {
  path: "totpToken",
  codes: ["ERR_INVALID_TOTP_TOKEN"],
  message: "The QR code expired, please re-scan and try again.",
};

export const authenticatorSetupCodeInvalid: Rule = {
  path: "code",
  codes: ["ERR_INVALID_TOTP_CODE"],
  message: "The code was not valid — perhaps it expired?",
};

export const oidcRequestTokenInvalid: Rule = {
  path: "oidcRequestToken",
  codes: ["ERR_INVALID_OIDC_REQUEST_TOKEN"],
  message: "Could not complete authentication. Please try logging in again.",
};

const TOO_MANY_REQUESTS = "Too many requests, please try again later.";

export const tooManyRequests: Rule = {
  path: null,
  codes: ["ERR_TOO_MANY_REQUESTS"],
  message: TOO_MANY_REQUESTS,
};

/** On sign-up, the server may add the path of the rate-limited field. */
export const tooManySignups: Rule = { codes: ["ERR_TOO_MANY_REQUESTS"], message: TOO_MANY_REQUESTS };

export const enrollmentRequired: Rule = {
  codes: ["ERR_2FA_ENROLLMENT_REQUIRED"],
  message: "TOTP (re)enrollment is required.",
};

export const oidcNotConfigured: Rule = {
  codes: ["ERR_OIDC_NOT_CONFIGURED"],
  message: "Single Sign-On is not configured.",
};

export const oidcProviderMismatch: Rule = {
  codes: ["ERR_OIDC_PROVIDER_MISMATCH"],
  message: "The identity provider changed. Please try logging in again.",
};

export const oidcExchangeFailed: Rule = {
  codes: ["ERR_OIDC_EXCHANGE_CODE"],
  message: "There was an error communicating with your SSO provider. Please contact your administrator.",
};

export const oidcClaimsMissing: Rule = {
  codes: ["ERR_OIDC_MISSING_CLAIMS"],
  message: ({ extra }) =>
    Array.isArray(extra?.missingClaims) && extra.missingClaims.length > 0
      ? `Your identity provider left out required claims: ${extra.missingClaims.join(", ")}. Please contact your administrator.`
      : "Your identity provider left out required claims. Please contact your administrator.",
};

export const oidcNotAllowed: Rule = {
  codes: ["ERR_OIDC_NOT_ALLOWED"],
  message: ({ message }) => `You can’t sign in here: ${message}.`,
};

export const oidcProviderInaccessible: Rule = {
  codes: ["ERR_OIDC_PROVIDER_INACCESSIBLE"],
  message: "OIDC Provider is not responding. Please try again in a few minutes",
};

export const organizationUnknown: Rule = {
  path: "organization",
  codes: ["ERR_INVALID_VALUE"],
  message:
    "No organization has verified this domain. Enter your organization ID instead. Your administrator can find it under Settings → Single sign-on.",
};

/** Every error of single sign-on. */
export const oidcRules: readonly Rule[] = [
  oidcRequestTokenInvalid,
  oidcNotConfigured,
  oidcProviderMismatch,
  oidcExchangeFailed,
  oidcClaimsMissing,
  oidcNotAllowed,
  oidcProviderInaccessible,
  tooManyRequests,
];

export const OIDC_STATE_MISSING = "Could not find oidc state code in storage.";

export const networkHasDependents: Rule = {
  codes: ["ERR_HAS_DEPENDENTS"],
  // Two spaces between the sentences, shown with `white-space: pre-wrap`.
  message: "This network contains hosts, relays, and/or lighthouses.  Please delete them and try again.",
};

export const billingInvalidState: Rule = {
  codes: ["ERR_BILLING_INVALID_STATE"],
  message: "Please downgrade to the Free plan before deleting your account.",
};

export const authenticatorLimitExceeded: Rule = {
  codes: ["ERR_LIMIT_EXCEEDED"],
  message: ({ extra }) => {
    const text = "You have already created the maximum number of authenticators for this organization";
    return typeof extra?.limit === "number" ? `${text} (${extra.limit}).` : `${text}.`;
  },
};

/** The call has no other error without a path. */
export const lastAuthenticator: Rule = {
  path: null,
  codes: ["ERR_INVALID_VALUE"],
  message: "This is your only authenticator. Add another one before you delete it.",
};

export const memberAlready: Rule = {
  path: "email",
  codes: ["ERR_DUPLICATE_VALUE"],
  message: "This person is already a member of your organization.",
};

/** The calls that change a role or remove a member have no other error with this code. */
export const lastOwner: Rule = {
  codes: ["ERR_INVALID_VALUE"],
  message: "This is the only owner. Make someone else an owner first.",
};

export const apiKeyLimitExceeded: Rule = {
  codes: ["ERR_LIMIT_EXCEEDED"],
  message: ({ extra }) => {
    const limit = typeof extra?.limit === "number" ? ` (${extra.limit})` : "";
    return `Your organization has the maximum number of API keys${limit}. Delete one you no longer use, then try again.`;
  },
};

export const INVITATION_GONE =
  "This invitation has expired or was withdrawn. Ask the person who invited you for a new one.";

export const invitationRoleChanged: Rule = {
  path: "role",
  codes: ["ERR_INVALID_VALUE"],
  message: "The role of this invitation has changed. Check the new role, then accept again.",
};

export const alreadyMember: Rule = {
  codes: ["ERR_ALREADY_MEMBER"],
  message:
    "This address already belongs to an organization. Log in and leave that organization first, then open the invitation again.",
};

export const expiryInPast: Rule = {
  path: "expiresAt",
  codes: ["ERR_INVALID_VALUE"],
  message: "Choose a date in the future.",
};
