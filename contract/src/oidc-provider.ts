/** Single sign-on: the organization's identity provider, and signing in with it. */
import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "./endpoint.ts";
import { Empty, id, instant, plainLine, replacement, text, token } from "./fields.ts";
import { TagNames, WrittenTagNames } from "./firewall-rules.ts";
import type { MemberRole } from "./member-roles.ts";

const noun = "oidc-provider";

/** Nobody becomes an owner by single sign-on. */
export const ssoDefaultRoles = ["administrator", "auditor"] as const satisfies readonly MemberRole[];
export type SsoDefaultRole = (typeof ssoDefaultRoles)[number];

export const ENDPOINT_VALID_DAYS = 30;
const ENDPOINT_VALID_DAYS_MAX = 365;
const DOMAINS_MAX = 50;
const URL_LENGTH_MAX = 500;

/** A list has it when one of its items is the value. */
const Claim = z.strictObject({ name: text(1, 100), value: text(1, 255) });
export type OidcClaim = z.output<typeof Claim>;

const EndpointEnrollment = z.strictObject({
  networkID: id("network"),
  roleID: z.nullable(id("role")),
  tags: WrittenTagNames,
  /** How long a device stays in the network after its person has signed in. */
  validDays: z.number(),
  /** An administrator approves each new device before it can enroll. */
  requiresApproval: z.boolean(),
});
export type EndpointEnrollment = z.output<typeof EndpointEnrollment>;

export const OidcProvider = z.strictObject({
  id: id("oidc"),
  name: z.string(),
  issuerURL: z.string(),
  clientID: z.string(),
  /** Whose e-mail addresses may sign in; empty: any. */
  allowedDomains: z.array(z.string()),
  /** What the provider has to say of whoever signs in. */
  requiredClaim: z.nullable(Claim),
  /** People with this claim get the role auditor; everyone else gets `defaultRole`. */
  auditorClaim: z.nullable(Claim),
  defaultRole: z.enum(ssoDefaultRoles),
  /** Accepts email addresses when the provider doesn't send email_verified. */
  trustsEmails: z.boolean(),
  /** Where devices come to be whose people sign in; null: nowhere. */
  endpoint: z.nullable(EndpointEnrollment),
  /** For the provider: where it sends people back to. */
  redirectURL: z.string(),
  /** For people: where they sign in. */
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
    error: "must be a web address without a query, such as https://accounts.example.com",
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
  /** Written, never shown. Kept when it is left out, as long as issuer and client stay. */
  clientSecret: z.optional(text(1, 1024)),
  allowedDomains: z._default(z.optional(z.array(Domain).check(z.maxLength(DOMAINS_MAX))), []),
  requiredClaim: z._default(z.optional(z.nullable(Claim)), null),
  auditorClaim: z._default(z.optional(z.nullable(Claim)), null),
  /** Required for a new provider. Kept when it is left out later. */
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
    error: "name the domains that may sign in, or a claim that is required",
  }),
);
export type OidcProviderInput = z.output<typeof OidcProviderInput>;

export const getOidcProvider = endpoint({
  method: "GET",
  path: "/v1/oidc-provider",
  noun,
  summary: "The identity provider that people sign in with; null while there is none",
  access: access.session,
  answer: data(z.nullable(OidcProvider)),
});

export const updateOidcProvider = endpoint({
  method: "PUT",
  path: "/v1/oidc-provider",
  noun,
  summary: "Set the identity provider; whoever came in by other rules signs in again",
  access: withRecentFactor(access.owner),
  body: OidcProviderInput,
  answer: data(OidcProvider),
  errors: ["ERR_INVALID_REFERENCE"],
});

export const deleteOidcProvider = endpoint({
  method: "DELETE",
  path: "/v1/oidc-provider",
  noun,
  summary: "End single sign-on, and the sessions of those who came by it",
  access: withRecentFactor(access.owner),
  answer: data(Empty),
  errors: ["ERR_OIDC_NOT_CONFIGURED"],
});

/** What a provider says of itself. */
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
  summary: "Ask a provider who it is, and begin a trial sign-in that lets nobody in",
  access: withRecentFactor(access.owner),
  body: OidcProviderInput,
  answer: data(z.strictObject({ discovery: OidcDiscovery, trial: z.strictObject(oidcStart) })),
  errors: ["ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

export const oidcCallback = z.strictObject({
  oidcRequestToken: token(),
  /** The address the provider sent the browser back to, whole. */
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
  summary: "What became of a trial sign-in: who it was, and as what they would come in",
  access: access.owner,
  body: oidcCallback,
  answer: data(
    z.strictObject({
      email: z.string(),
      subject: z.string(),
      role: z.enum(ssoDefaultRoles),
      /** The names of all that the provider said. */
      claims: z.array(z.string()),
      /** The provider didn't send email_verified: people can sign in only with `trustsEmails`. */
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
  /** In place of the ID, a domain that the organization has verified, or an email address of that domain. */
  summary: "Start single sign-on",
  access: access.public,
  answer: data(z.strictObject({ ...oidcStart, organizationID: id("org") })),
  errors: ["ERR_OIDC_NOT_CONFIGURED", "ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

export const verifyOidc = endpoint({
  method: "POST",
  path: "/v1/auth/oidc/verify",
  noun: "auth",
  summary: "Finish single sign-on",
  access: access.public,
  body: oidcCallback,
  answer: data(z.strictObject({ authToken: z.string() })),
  errors: signInErrors,
});
