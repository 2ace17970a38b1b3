/**
 * Sign-ins at an identity provider, from when somebody is sent there to when they are back. Each has ten minutes
 * and one end: its request is taken before anybody is asked, so that nothing can be finished twice.
 */
import type { Selectable } from "kysely";
import { randomNonce, randomPKCECodeVerifier, randomState } from "openid-client";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { type AuditEntry, refused } from "../../infrastructure/db/audited.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Claims, claimsWanted, identityOf, type Rules } from "./claims.ts";
import { type Client, type IdentityProviders, redirectURLOf } from "./identity-providers.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";

const LIFETIME_MS = 10 * MINUTE_MS;

export type SignIn = Selectable<Tables["oidc_requests"]>;

/** What somebody signs in for: the console, a device, or to see whether it would work. */
export type Purpose = "console" | "device" | "trial";

export interface Started {
  oidcRequestToken: string;
  redirectURL: string;
}

interface Begin {
  client: Client;
  organizationID: string;
  providerID: string;
  now: Date;
  /** What is tried out, for nobody else to see. */
  trial?: object;
  /** The device's request. */
  endpointRequest?: Buffer;
}

export async function beginSignIn(
  ctx: Context,
  providers: IdentityProviders,
  begin: Begin,
): Promise<Started> {
  const secrets = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
  const redirectURL = await providers.signInAddress(await providers.discover(begin.client), secrets);
  const oidcRequestToken = newToken();
  const token_hash = hashToken(oidcRequestToken);
  await ctx.bookkeeper
    .insertInto("oidc_requests")
    .values({
      token_hash,
      organization_id: begin.organizationID,
      provider_id: begin.providerID,
      state: secrets.state,
      nonce: secrets.nonce,
      code_verifier: secrets.codeVerifier,
      trial: begin.trial
        ? ctx.secrets.seal(Buffer.from(JSON.stringify(begin.trial)), placeOf(token_hash))
        : null,
      endpoint_request: begin.endpointRequest ?? null,
      expires_at: new Date(begin.now.getTime() + LIFETIME_MS),
    })
    .execute();
  return { oidcRequestToken, redirectURL };
}

const placeOf = (tokenHash: Buffer) => ({
  table: "oidc_requests",
  column: "trial",
  id: tokenHash.toString("hex"),
});

export const trialOf = ({ secrets }: Context, { trial, token_hash }: SignIn): unknown =>
  trial && JSON.parse(secrets.open(trial, placeOf(token_hash)).toString("utf8"));

const invalidRequest = () => new ApiError("ERR_INVALID_OIDC_REQUEST_TOKEN", { path: "oidcRequestToken" });

/** A browser that came back. */
export interface Return {
  callback: { oidcRequestToken: string; location: string };
  ip: string;
  now: Date;
}

/** The sign-in that the browser came back from, taken: whatever becomes of it, it cannot be used again. */
export async function takeSignIn(
  ctx: Context,
  { callback: { oidcRequestToken, location }, now }: Omit<Return, "ip">,
  { purpose, organizationID }: { purpose: Purpose; organizationID?: string },
): Promise<{ signIn: SignIn; location: URL }> {
  const signIn = await ctx.bookkeeper
    .deleteFrom("oidc_requests")
    .where("token_hash", "=", hashToken(oidcRequestToken))
    .where("expires_at", ">", now)
    .where("trial", purpose === "trial" ? "is not" : "is", null)
    .where("endpoint_request", purpose === "device" ? "is not" : "is", null)
    .$if(organizationID !== undefined, (query) => query.where("organization_id", "=", organizationID ?? ""))
    .returningAll()
    .executeTakeFirst();
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (!signIn || !url || !isAnswerTo(url, signIn, redirectURLOf(ctx.config))) throw invalidRequest();
  url.hash = "";
  return { signIn, location: url };
}

/** Whether the address is ours and belongs to this sign-in rather than to another. */
function isAnswerTo(
  { origin, pathname, searchParams }: URL,
  { state }: SignIn,
  redirectURL: string,
): boolean {
  const states = searchParams.getAll("state");
  return `${origin}${pathname}` === redirectURL && states.length === 1 && states[0] === state;
}

export function exchange(
  providers: IdentityProviders,
  { signIn, location }: { signIn: SignIn; location: URL },
  { client, rules }: { client: Client; rules: Rules },
): Promise<Claims> {
  const { state, nonce, code_verifier: codeVerifier } = signIn;
  const secrets = { state, nonce, codeVerifier };
  return providers.exchange(client, secrets, { location, wanted: claimsWanted(rules) });
}

const LOGGED = new Set([
  "ERR_OIDC_EXCHANGE_CODE",
  "ERR_OIDC_MISSING_CLAIMS",
  "ERR_OIDC_NOT_ALLOWED",
  "ERR_OIDC_PROVIDER_MISMATCH",
]);

/** An entry for a sign-in that failed, by whoever it was as far as the provider has told. */
function failedSignIn(
  { organization_id, provider_id }: SignIn,
  error: ApiError,
  claims: Claims | undefined,
): AuditEntry {
  const identity = claims && identityOf(claims);
  return {
    organizationID: organization_id,
    actor: identity ? { type: "oidcUser", ...identity } : { type: "system" },
    target: { type: "oidcProvider", id: provider_id },
    event: "FAILED_AUTH",
    before: null,
    after: { factor: "sso", reason: error.errors[0]?.message ?? error.message },
  };
}

/** Runs a step of a sign-in; when it is refused there, that stays in the log. */
export async function loggingFailure<T>(
  ctx: Context,
  { signIn, ip, claims }: { signIn: SignIn; ip: string; claims?: Claims },
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ApiError) || !LOGGED.has(error.message)) throw error;
    return ctx.audited(async () => refused(error, failedSignIn(signIn, error, claims)), { address: ip });
  }
}
