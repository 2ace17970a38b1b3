import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "./endpoint.ts";
import { memberRoles } from "./member-roles.ts";
import { Empty, email, id, instant, replacement, text, token, withErrorCode } from "./fields.ts";
import { NAME_LENGTH_MAX } from "./limits.ts";

const noun = "auth";

export const SESSION_TOKEN_DAYS = 3650;
export const AUTH_TOKEN_DAYS = 0.67;
export const TOTP_AUTHENTICATORS_MAX = 10;

export const plans = ["free", "pro", "selfHosted"] as const;

export const Organization = z.strictObject({
  id: id("org"),
  name: z.string(),
  plan: z.enum(plans),
  createdAt: instant(),
});
export type Organization = z.output<typeof Organization>;

const UserActor = z.strictObject({
  id: id("user"),
  email: z.string(),
  type: z.literal("user"),
  role: z.enum(memberRoles),
  hasTOTPAuthenticator: z.boolean(),
  createdAt: instant(),
});
const OidcUserActor = z.strictObject({
  id: id("oidcuser"),
  email: z.string(),
  issuer: z.string(),
  subject: z.string(),
  type: z.literal("oidcUser"),
  role: z.enum(memberRoles),
});
const ApiKeyActor = z.strictObject({ id: id("lkkey"), name: z.string(), type: z.literal("apiKey") });

export const CurrentUser = z.discriminatedUnion("actorType", [
  z.strictObject({ actorType: z.literal("user"), actor: UserActor, organization: Organization }),
  z.strictObject({ actorType: z.literal("oidcUser"), actor: OidcUserActor, organization: Organization }),
  z.strictObject({ actorType: z.literal("apiKey"), actor: ApiKeyActor, organization: Organization }),
]);
export type CurrentUser = z.output<typeof CurrentUser>;

export const SignupRequest = z.strictObject({
  email: email(),
  plan: z.optional(z.literal("pro")),
  /** Required for the first account on a public server, which prints the code in its log. */
  setupCode: z.optional(z.string().check(z.maxLength(64))),
});
export const MagicLinkRequest = z.strictObject({ email: email() });
export const TotpCode = z
  .string()
  .check(
    z.refine(
      (code) => code.length <= 16,
      withErrorCode("ERR_INVALID_TOTP_CODE", "the code is invalid; enter the current one"),
    ),
  )
  .register(z.globalRegistry, { examples: ["123456"] });

export const signup = endpoint({
  method: "POST",
  path: "/v1/signup",
  noun,
  summary: "Request a sign-up link; an address with an account gets a login link",
  access: access.public,
  body: SignupRequest,
  response: data(Empty),
  errors: ["ERR_INVALID_EMAIL", "ERR_INVALID_SETUP_CODE", "ERR_TOO_MANY_REQUESTS", "ERR_FORBIDDEN"],
});

export const sendMagicLink = endpoint({
  method: "POST",
  path: "/v1/auth/magic-link",
  noun,
  summary: "Request a login link; the response is the same for every address",
  access: access.public,
  body: MagicLinkRequest,
  response: data(Empty),
  errors: ["ERR_INVALID_EMAIL", "ERR_TOO_MANY_REQUESTS"],
});

export const verifyMagicLink = endpoint({
  method: "POST",
  path: "/v1/auth/verify-magic-link",
  noun,
  summary: "Exchange a login link's token for a session token; fails if an invitation is open",
  access: access.public,
  body: z.strictObject({ magicLinkToken: token() }),
  response: data(z.strictObject({ sessionToken: z.string() })),
  errors: [
    "ERR_INVALID_MAGIC_LINK_TOKEN",
    "ERR_INVITATION_PENDING",
    "ERR_INVALID_SETUP_CODE",
    "ERR_TOO_MANY_REQUESTS",
    "ERR_FORBIDDEN",
  ],
});

export const signOut = endpoint({
  method: "DELETE",
  path: "/v1/auth",
  noun,
  summary: "Log out: revoke the tokens sent with this request",
  access: access.presentedTokens,
  response: data(Empty),
});

export const logInWithTotp = endpoint({
  method: "POST",
  path: "/v1/auth/totp",
  noun,
  summary: "Log in with a code from an authenticator app",
  access: access.userToken,
  body: z.strictObject({ code: TotpCode }),
  response: data(z.strictObject({ authToken: z.string() })),
  errors: ["ERR_INVALID_TOTP_CODE", "ERR_2FA_ENROLLMENT_REQUIRED", "ERR_TOO_MANY_REQUESTS"],
});

export const whoami = endpoint({
  method: "GET",
  path: "/v2/whoami",
  noun,
  summary: "Get the user or API key that sends this request",
  access: access.anyone,
  response: data(CurrentUser),
});

export const TotpAuthenticator = z.strictObject({
  id: id("totp"),
  name: z.string(),
  createdAt: instant(),
  lastUsedAt: z.nullable(instant()),
});
export type TotpAuthenticator = z.output<typeof TotpAuthenticator>;

const authenticatorName = text(1, NAME_LENGTH_MAX);
const totpNoun = "totp-authenticators";

export const listTotpAuthenticators = endpoint({
  method: "GET",
  path: "/v1/totp-authenticators",
  noun: totpNoun,
  summary: "List your authenticators",
  access: access.ownUser,
  response: data(z.array(TotpAuthenticator)),
});

export const getTotpAuthenticator = endpoint({
  method: "GET",
  path: "/v1/totp-authenticators/{totpID}",
  noun: totpNoun,
  summary: "Get one of your authenticators",
  access: access.ownUser,
  response: data(TotpAuthenticator),
});

export const createTotpAuthenticator = endpoint({
  method: "POST",
  path: "/v1/totp-authenticators",
  noun: totpNoun,
  summary: "Start setting up an authenticator; the first one needs only a user token",
  access: withRecentFactor(access.userToken),
  body: z.strictObject({ name: z.optional(authenticatorName) }),
  response: data(z.strictObject({ totpToken: z.string(), secret: z.string(), url: z.string() })),
  errors: ["ERR_LIMIT_EXCEEDED"],
});

export const verifyTotpAuthenticator = endpoint({
  method: "POST",
  path: "/v1/verify-totp-authenticator",
  noun: totpNoun,
  summary: "Finish setting up an authenticator with its first code",
  access: withRecentFactor(access.userToken),
  body: z.strictObject({ totpToken: token(), code: TotpCode }),
  response: data(z.strictObject({ authToken: z.string(), authenticator: TotpAuthenticator })),
  errors: ["ERR_INVALID_TOTP_TOKEN", "ERR_INVALID_TOTP_CODE", "ERR_LIMIT_EXCEEDED", "ERR_TOO_MANY_REQUESTS"],
});

export const updateTotpAuthenticator = endpoint({
  method: "PUT",
  path: "/v1/totp-authenticators/{totpID}",
  noun: totpNoun,
  summary: "Rename one of your authenticators",
  access: access.ownUser,
  body: replacement({ name: authenticatorName }, TotpAuthenticator),
  response: data(TotpAuthenticator),
});

export const deleteTotpAuthenticator = endpoint({
  method: "DELETE",
  path: "/v1/totp-authenticators/{totpID}",
  noun: totpNoun,
  summary: "Delete one of your authenticators; the last one can't be deleted",
  access: withRecentFactor(access.ownUser),
  response: data(Empty),
  errors: ["ERR_INVALID_VALUE"],
});
