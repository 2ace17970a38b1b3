import * as z from "zod/mini";
import { access, data, endpoint, withRecentFactor } from "./endpoint.ts";
import { memberRoles } from "./member-roles.ts";
import { Empty, email, id, instant, refuseWith, replacement, text, token } from "./fields.ts";

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
  /** For the first account on a public server: printed in the server's log. */
  setupCode: z.optional(z.string().check(z.maxLength(64))),
});
export const MagicLinkRequest = z.strictObject({ email: email() });
export const TotpCode = z
  .string()
  .check(z.refine((code) => code.length <= 16, refuseWith("ERR_INVALID_TOTP_CODE", "the code is not valid")))
  .register(z.globalRegistry, { examples: ["123456"] });

export const signup = endpoint({
  method: "POST",
  path: "/v1/signup",
  noun,
  summary: "Ask for a sign-up link; a known address gets a sign-in link",
  access: access.public,
  body: SignupRequest,
  answer: data(Empty),
  errors: ["ERR_INVALID_EMAIL", "ERR_INVALID_SETUP_CODE", "ERR_TOO_MANY_REQUESTS", "ERR_FORBIDDEN"],
});

export const sendMagicLink = endpoint({
  method: "POST",
  path: "/v1/auth/magic-link",
  noun,
  summary: "Ask for a sign-in link; the answer is the same for every address",
  access: access.public,
  body: MagicLinkRequest,
  answer: data(Empty),
  errors: ["ERR_INVALID_EMAIL", "ERR_TOO_MANY_REQUESTS"],
});

export const verifyMagicLink = endpoint({
  method: "POST",
  path: "/v1/auth/verify-magic-link",
  noun,
  summary: "Exchange a link's token for a session token; an open invitation has to be answered first",
  access: access.public,
  body: z.strictObject({ magicLinkToken: token() }),
  answer: data(z.strictObject({ sessionToken: z.string() })),
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
  summary: "Sign out: revoke the tokens presented",
  access: access.presentedTokens,
  answer: data(Empty),
});

export const logInWithTotp = endpoint({
  method: "POST",
  path: "/v1/auth/totp",
  noun,
  summary: "Give the second factor",
  access: access.userToken,
  body: z.strictObject({ code: TotpCode }),
  answer: data(z.strictObject({ authToken: z.string() })),
  errors: ["ERR_INVALID_TOTP_CODE", "ERR_2FA_ENROLLMENT_REQUIRED", "ERR_TOO_MANY_REQUESTS"],
});

export const whoami = endpoint({
  method: "GET",
  path: "/v2/whoami",
  noun,
  summary: "Who the presented credential is",
  access: access.anyone,
  answer: data(CurrentUser),
});

export const TotpAuthenticator = z.strictObject({
  id: id("totp"),
  name: z.string(),
  createdAt: instant(),
  lastUsedAt: z.nullable(instant()),
});
export type TotpAuthenticator = z.output<typeof TotpAuthenticator>;

const authenticatorName = text(1, 50);
const totpNoun = "totp-authenticators";

export const listTotpAuthenticators = endpoint({
  method: "GET",
  path: "/v1/totp-authenticators",
  noun: totpNoun,
  summary: "List your authenticators",
  access: access.ownUser,
  answer: data(z.array(TotpAuthenticator)),
});

export const getTotpAuthenticator = endpoint({
  method: "GET",
  path: "/v1/totp-authenticators/{totpID}",
  noun: totpNoun,
  summary: "Get one of your authenticators",
  access: access.ownUser,
  answer: data(TotpAuthenticator),
});

export const createTotpAuthenticator = endpoint({
  method: "POST",
  path: "/v1/totp-authenticators",
  noun: totpNoun,
  summary: "Start setting up an authenticator; the first one needs a user token alone",
  access: withRecentFactor(access.userToken),
  body: z.strictObject({ name: z.optional(authenticatorName) }),
  answer: data(z.strictObject({ totpToken: z.string(), secret: z.string(), url: z.string() })),
  errors: ["ERR_LIMIT_EXCEEDED"],
});

export const verifyTotpAuthenticator = endpoint({
  method: "POST",
  path: "/v1/verify-totp-authenticator",
  noun: totpNoun,
  summary: "Finish setting up an authenticator with its first code",
  access: withRecentFactor(access.userToken),
  body: z.strictObject({ totpToken: token(), code: TotpCode }),
  answer: data(z.strictObject({ authToken: z.string(), authenticator: TotpAuthenticator })),
  errors: ["ERR_INVALID_TOTP_TOKEN", "ERR_INVALID_TOTP_CODE", "ERR_LIMIT_EXCEEDED", "ERR_TOO_MANY_REQUESTS"],
});

export const updateTotpAuthenticator = endpoint({
  method: "PUT",
  path: "/v1/totp-authenticators/{totpID}",
  noun: totpNoun,
  summary: "Rename one of your authenticators",
  access: access.ownUser,
  body: replacement({ name: authenticatorName }, TotpAuthenticator),
  answer: data(TotpAuthenticator),
});

export const deleteTotpAuthenticator = endpoint({
  method: "DELETE",
  path: "/v1/totp-authenticators/{totpID}",
  noun: totpNoun,
  summary: "Delete one of your authenticators, never the last",
  access: withRecentFactor(access.ownUser),
  answer: data(Empty),
  errors: ["ERR_INVALID_VALUE"],
});
