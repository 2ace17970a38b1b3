/** Single sign-on: the organization's identity provider, and signing in with it. */
import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { Empty, id, instant, replacement, text, token } from "./fields.ts";
import { TagNames } from "./firewall-rules.ts";
import { memberRoles } from "./member-roles.ts";

const noun = "oidc-provider";

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
  tags: TagNames,
  /** How long a device stays in the network after its person has signed in. */
  validDays: z.number(),
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
  /** Of whom the provider says it only reads; everybody else is an administrator. */
  auditorClaim: z.nullable(Claim),
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
  access: access.freshOwner,
  body: OidcProviderInput,
  answer: data(OidcProvider),
  errors: ["ERR_INVALID_REFERENCE"],
});

export const deleteOidcProvider = endpoint({
  method: "DELETE",
  path: "/v1/oidc-provider",
  noun,
  summary: "End single sign-on, and the sessions of those who came by it",
  access: access.freshOwner,
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

const oidcStart = { oidcRequestToken: z.string(), redirectURL: z.string() };

export const testOidcProvider = endpoint({
  method: "POST",
  path: "/v1/oidc-provider/test",
  noun,
  summary: "Ask a provider who it is, and begin a trial sign-in that lets nobody in",
  access: access.freshOwner,
  body: OidcProviderInput,
  answer: data(z.strictObject({ discovery: OidcDiscovery, trial: z.strictObject(oidcStart) })),
  errors: ["ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

const oidcCallback = z.strictObject({
  oidcRequestToken: token(),
  /** The address the provider sent the browser back to, whole. */
  location: z.string().check(z.maxLength(8192)),
});

const signInErrors = [
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
      role: z.enum(memberRoles),
      /** The names of all that the provider said. */
      claims: z.array(z.string()),
    }),
  ),
  errors: signInErrors,
});

export const startOidc = endpoint({
  method: "POST",
  path: "/v1/auth/oidc/start/{orgID}",
  noun: "auth",
  summary: "Start single sign-on",
  access: access.public,
  answer: data(z.strictObject(oidcStart)),
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

const endpointNoun = "agents";

export const getEndpointSignIn = endpoint({
  method: "GET",
  path: "/v1/endpoint-auth/sign-in",
  noun: endpointNoun,
  summary: "What a device's person is asked to sign in for",
  access: access.public,
  query: z.strictObject({ loginToken: token() }),
  answer: data(
    z.strictObject({
      /** Null: a new device, which may go to any organization that takes devices. */
      device: z.nullable(z.strictObject({ name: z.string(), organizationName: z.string() })),
      isCompleted: z.boolean(),
    }),
  ),
});

export const startEndpointSignIn = endpoint({
  method: "POST",
  path: "/v1/endpoint-auth/start",
  noun: endpointNoun,
  summary: "Begin to sign in for a device",
  access: access.public,
  body: z.strictObject({
    loginToken: token(),
    /** An organization's id, its e-mail domain or an address there; not needed for a device that is known. */
    organization: z.optional(text(1, 254)),
  }),
  answer: data(z.strictObject(oidcStart)),
  errors: ["ERR_OIDC_NOT_CONFIGURED", "ERR_OIDC_PROVIDER_INACCESSIBLE", "ERR_TOO_MANY_REQUESTS"],
});

export const verifyEndpointSignIn = endpoint({
  method: "POST",
  path: "/v1/endpoint-auth/verify",
  noun: endpointNoun,
  summary: "Finish signing in for a device: from now on it may enroll, or stay",
  access: access.public,
  body: oidcCallback,
  answer: data(
    z.strictObject({
      email: z.string(),
      deviceName: z.string(),
      validUntil: instant(),
    }),
  ),
  errors: [...signInErrors, "ERR_LIMIT_EXCEEDED", "ERR_NETWORK_FULLY_ALLOCATED", "ERR_HOST_BLOCKED"],
});
