/**
 * Sign-ins at an identity provider, from the redirect to the callback. Each is valid for ten minutes and used once: its
 * row is deleted before the provider is contacted.
 */
import type { Selectable } from "kysely";
import { randomNonce, randomPKCECodeVerifier, randomState } from "openid-client";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken, newToken } from "../../infrastructure/crypto/tokens.ts";
import { type AuditEntry, rejected } from "../../infrastructure/db/audited.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { type Claims, requestedClaims, identityOf, type Rules } from "./claims.ts";
import { type Client, type IdentityProviders, redirectURLOf } from "./identity-providers.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";

const LIFETIME_MS = 10 * MINUTE_MS;

export type SignIn = Selectable<Tables["oidc_requests"]>;

export type Purpose = "console" | "device" | "connectionTest";

export interface StartedSignIn {
  oidcRequestToken: string;
  redirectURL: string;
}

interface SignInStart {
  client: Client;
  organizationID: string;
  providerID: string;
  now: Date;
  /** The settings that are tested; stored encrypted. */
  connectionTest?: object;
  /** The device's request. */
  endpointRequest?: Buffer;
}

export async function beginSignIn(
  ctx: Context,
  providers: IdentityProviders,
  start: SignInStart,
): Promise<StartedSignIn> {
  const secrets = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
  const redirectURL = await providers.buildSignInURL(await providers.discover(start.client), secrets);
  const oidcRequestToken = newToken();
  const token_hash = hashToken(oidcRequestToken);
  await ctx.unaudited
    .insertInto("oidc_requests")
    .values({
      token_hash,
      organization_id: start.organizationID,
      provider_id: start.providerID,
      state: secrets.state,
      nonce: secrets.nonce,
      code_verifier: secrets.codeVerifier,
      trial: start.connectionTest
        ? ctx.secrets.seal(
            Buffer.from(JSON.stringify(start.connectionTest)),
            connectionTestLocation(token_hash),
          )
        : null,
      endpoint_request: start.endpointRequest ?? null,
      expires_at: new Date(start.now.getTime() + LIFETIME_MS),
    })
    .execute();
  return { oidcRequestToken, redirectURL };
}

const connectionTestLocation = (tokenHash: Buffer) => ({
  table: "oidc_requests",
  column: "trial",
  id: tokenHash.toString("hex"),
});

export const decryptConnectionTest = ({ secrets }: Context, { trial, token_hash }: SignIn): unknown =>
  trial && JSON.parse(secrets.open(trial, connectionTestLocation(token_hash)).toString("utf8"));

const invalidRequest = () => new ApiError("ERR_INVALID_OIDC_REQUEST_TOKEN", { path: "oidcRequestToken" });

/** The request that the browser sends when it returns from the provider. */
export interface SignInReturn {
  callback: { oidcRequestToken: string; location: string };
  ip: string;
  now: Date;
}

/** Deletes and returns the sign-in, so that it cannot be used again whether or not it succeeds. */
export async function takeSignIn(
  ctx: Context,
  { callback: { oidcRequestToken, location }, now }: Omit<SignInReturn, "ip">,
  { purpose, organizationID }: { purpose: Purpose; organizationID?: string },
): Promise<{ signIn: SignIn; location: URL }> {
  const signIn = await ctx.unaudited
    .deleteFrom("oidc_requests")
    .where("token_hash", "=", hashToken(oidcRequestToken))
    .where("expires_at", ">", now)
    .where("trial", purpose === "connectionTest" ? "is not" : "is", null)
    .where("endpoint_request", purpose === "device" ? "is not" : "is", null)
    .$if(organizationID !== undefined, (query) => query.where("organization_id", "=", organizationID ?? ""))
    .returningAll()
    .executeTakeFirst();
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (!signIn || !url || !isCallbackOf(url, signIn, redirectURLOf(ctx.config))) throw invalidRequest();
  url.hash = "";
  return { signIn, location: url };
}

/** Whether the URL is our callback and has the state of this sign-in. */
function isCallbackOf(
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
  return providers.exchange(client, secrets, { location, requestedClaims: requestedClaims(rules) });
}

const AUDITED_ERRORS = new Set([
  "ERR_OIDC_EXCHANGE_CODE",
  "ERR_OIDC_MISSING_CLAIMS",
  "ERR_OIDC_NOT_ALLOWED",
  "ERR_OIDC_PROVIDER_MISMATCH",
]);

/** The actor is the person if the provider returned their identity. */
function failedSignInEntry(
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

/** Runs a step of a sign-in and records an audit entry if it is rejected. */
export async function auditFailure<T>(
  ctx: Context,
  { signIn, ip, claims }: { signIn: SignIn; ip: string; claims?: Claims },
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof ApiError) || !AUDITED_ERRORS.has(error.message)) throw error;
    return ctx.audited(async () => rejected(error, failedSignInEntry(signIn, error, claims)), {
      address: ip,
    });
  }
}

export async function deleteExpiredSignIns(db: UnauditedWriter, now: Date): Promise<void> {
  await db.deleteFrom("oidc_requests").where("expires_at", "<=", now).execute();
}
