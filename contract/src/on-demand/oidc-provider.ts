/** Single sign-on: the organization's identity provider and its sign-ins. */
import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "../endpoint.ts";
import { Empty, id, instant, plainLine, replacement, text, token } from "../fields.ts";
import { DOMAINS_MAX, ENDPOINT_VALID_DAYS_MAX } from "../limits.ts";
import { StoredTagNames, TagNames } from "../tag-names.ts";
import type { MemberRole } from "../member-roles.ts";

const noun = "oidc-provider";

/** Single sign-on never makes someone an owner. */
export const ssoDefaultRoles = ["administrator", "auditor"] as const satisfies readonly MemberRole[];
export type SsoDefaultRole = (typeof ssoDefaultRoles)[number];

export const ENDPOINT_VALID_DAYS = 30;
const URL_LENGTH_MAX = 500;

/** A claim that is a list matches if it contains the value. */
const Claim = z.strictObject({ name: text(1, 100), value: text(1, 255) });
export type OidcClaim = z.output<typeof Claim>;

const EndpointEnrollment = z.strictObject({
  networkID: id("network"),
  roleID: z.nullable(id("role")),
  tags: StoredTagNames,
  /** How long a device can stay in the network after its owner has signed in. */
  validDays: z.number(),
  /** Whether an administrator must approve each new device. */
  requiresApproval: z.boolean(),
});
export type EndpointEnrollment = z.output<typeof EndpointEnrollment>;

export const OidcProvider = z.strictObject({
  id: id("oidc"),
  name: z.string(),
  issuerURL: z.string(),
  clientID: z.string(),
  /** Email domains that may sign in; empty means any. */
  allowedDomains: z.array(z.string()),
  /** A claim that people need to sign in. */
  requiredClaim: z.nullable(Claim),
  /** People with this claim get the role auditor; everyone else gets `defaultRole`. */
  auditorClaim: z.nullable(Claim),
  defaultRole: z.enum(ssoDefaultRoles),
  /** Whether to accept email addresses if the provider doesn't send email_verified. */
  trustsEmails: z.boolean(),
  /** Settings of devices that people enroll by signing in; null if disabled. */
  endpoint: z.nullable(EndpointEnrollment),
  /** To configure at the provider. */
  redirectURL: z.string(),
  /** The page where people sign in. */
  loginURL: z.string(),
  createdAt: instant(),
  modifiedAt: instant(),
});
export type OidcProvider = z.output<typeof OidcProvider>;

function isIssuer(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !URL.canParse(value)) return false;
  const { search, hash, username, password } = new URL(value);
  return !search && !hash && !username && !password;
}

const issuerURL = text(1, URL_LENGTH_MAX).check(
  z.refine(isIssuer, {
    error: "must be a URL without a query, such as https://accounts.example.com",
  }),
);

const Domain = z
  .string()
  .check(
    z.trim(),
    z.toLowerCase(),
    z.maxLength(190, "must have a length between 1 and 190"),
    z.regex(/^[^\s@./]+(\.[^\s@./]+)+$/, "must be a domain such as example.com"),
    plainLine(),
  );

const editable = {
  name: z._default(z.optional(text(0, 100)), ""),
  issuerURL,
  clientID: text(1, 255),
  /** Never returned. If missing, the secret is kept unless the issuer or the client ID changes. */
  clientSecret: z.optional(text(1, 1024)),
  allowedDomains: z._default(z.optional(z.array(Domain).check(z.maxLength(DOMAINS_MAX))), []),
  requiredClaim: z._default(z.optional(z.nullable(Claim)), null),
  auditorClaim: z._default(z.optional(z.nullable(Claim)), null),
  /** Required for a new provider. If missing in an update, the role is kept. */
  defaultRole: z.optional(z.enum(ssoDefaultRoles)),
  trustsEmails: z._default(z.optional(z.boolean()), false),
  endpoint: z._default(
    z.optional(
      z.nullable(
        z.strictObject({
          networkID: z.string().check(z.maxLength(64)),
          roleID: z._default(z.optional(z.nullable(z.string().check(z.maxLength(64)))), null),
          tags: z._default(z.optional(TagNames), []),
          validDays: z._default(
            z.optional(z.int().check(z.minimum(1), z.maximum(ENDPOINT_VALID_DAYS_MAX))),
            ENDPOINT_VALID_DAYS,
          ),
          requiresApproval: z._default(z.optional(z.boolean()), false),
        }),
      ),
    ),
    null,
  ),
};

export const OidcProviderInput = replacement(editable, OidcProvider).check(
  z.refine(({ allowedDomains, requiredClaim }) => allowedDomains.length > 0 || requiredClaim !== null, {
    path: ["allowedDomains"],
    error: "enter the domains that may sign in, or set a required claim",
  }),
);
export type OidcProviderInput = z.output<typeof OidcProviderInput>;

export const getOidcProvider = endpoint({
  method: "GET",
  path: "/v1/oidc-provider",
  noun,
  summary: "Get the identity provider; null if there is none",
  access: access.session,
  response: data(z.nullable(OidcProvider)),
});

export const updateOidcProvider = endpoint({
  method: "PUT",
  path: "/v1/oidc-provider",
  noun,
  summary: "Set the identity provider; if the sign-in rules change, people must sign in again",
  access: withRecentFactor(access.owner),
  body: OidcProviderInput,
  response: data(OidcProvider),
  errors: ["ERR_INVALID_REFERENCE"],
});

export const deleteOidcProvider = endpoint({
  method: "DELETE",
  path: "/v1/oidc-provider",
  noun,
  summary: "Disable single sign-on and end all sessions that were started with it",
  access: withRecentFactor(access.owner),
  response: data(Empty),
  errors: ["ERR_OIDC_NOT_CONFIGURED"],
});

/** From the provider's discovery document. */
export const OidcDiscovery = z.strictObject({
  issuer: z.string(),
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  userinfoEndpoint: z.nullable(z.string()),
  scopes: z.array(z.string()),
  claims: z.array(z.string()),
});
export type OidcDiscovery = z.output<typeof OidcDiscovery>;

export const oidcStart = { oidcRequestToken: z.string(), redirectURL: z.string() };

export const testOidcProvider = endpoint({
  method: "POST",
  path: "/v1/oidc-provider/test",
  noun,
  summary: "Check a provider's configuration and start a trial sign-in",
  access: withRecentFactor(access.owner),
  body: OidcProviderInput,
  response: data(z.strictObject({ discovery: OidcDiscovery, trial: z.strictObject(oidcStart) })),
  errors: ["ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

export const oidcCallback = z.strictObject({
  oidcRequestToken: token(),
  /** The full URL that the provider redirected the browser to. */
  location: z.string().check(z.maxLength(8192)),
});

export const signInErrors = [
  "ERR_INVALID_OIDC_REQUEST_TOKEN",
  "ERR_OIDC_NOT_CONFIGURED",
  "ERR_OIDC_PROVIDER_MISMATCH",
  "ERR_OIDC_EXCHANGE_CODE",
  "ERR_OIDC_MISSING_CLAIMS",
  "ERR_OIDC_NOT_ALLOWED",
  "ERR_OIDC_PROVIDER_INACCESSIBLE",
  "ERR_TOO_MANY_REQUESTS",
] as const;

export const verifyOidcTrial = endpoint({
  method: "POST",
  path: "/v1/oidc-provider/test/verify",
  noun,
  summary: "Get the result of a trial sign-in: the person and the role they would get",
  access: access.owner,
  body: oidcCallback,
  response: data(
    z.strictObject({
      email: z.string(),
      subject: z.string(),
      role: z.enum(ssoDefaultRoles),
      /** The names of all claims from the provider. */
      claims: z.array(z.string()),
      /** Whether the provider didn't send email_verified: people can then sign in only with `trustsEmails`. */
      isEmailVerifiedMissing: z.boolean(),
      /** Whether this person could sign in with the settings of the trial. */
      isAdmitted: z.boolean(),
    }),
  ),
  errors: signInErrors,
});

export const startOidc = endpoint({
  method: "POST",
  path: "/v1/auth/oidc/start/{orgID}",
  noun: "auth",
  /** `orgID` can also be the organization's verified domain, or an email address in that domain. */
  summary: "Start single sign-on",
  access: access.public,
  response: data(z.strictObject({ ...oidcStart, organizationID: id("org") })),
  errors: ["ERR_OIDC_NOT_CONFIGURED", "ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

export const verifyOidc = endpoint({
  method: "POST",
  path: "/v1/auth/oidc/verify",
  noun: "auth",
  summary: "Finish single sign-on",
  access: access.public,
  body: oidcCallback,
  response: data(z.strictObject({ authToken: z.string() })),
  errors: signInErrors,
});
