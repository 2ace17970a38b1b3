/** What is asked of an identity provider, and what its answers and silences mean here. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from "openid-client";
import type { Config } from "../../infrastructure/config/config.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Claims } from "./claims.ts";
import { createPinnedFetch, type ProviderEdges, ProviderUnreachable } from "./pinned-fetch.ts";

/** Who we are to whom. */
export interface Client {
  issuerURL: string;
  clientID: string;
  clientSecret: string;
}

/** What only who began a sign-in knows. */
export interface Secrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

const WANTED_SCOPES = ["profile", "groups"];

export const redirectURLOf = ({ appURL }: Pick<Config, "appURL">) => `${appURL}/auth/oidc-callback`;

/** The reason in words, where there is one to tell. */
function reasonOf(error: unknown): string {
  for (let one: unknown = error; one instanceof Error; one = one.cause)
    if (one instanceof ProviderUnreachable) return one.message;
  return error instanceof Error ? error.message : "it does not answer";
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && (error instanceof ProviderUnreachable || isUnreachable(error.cause));

const inaccessible = (error: unknown) =>
  new ApiError("ERR_OIDC_PROVIDER_INACCESSIBLE", { message: reasonOf(error) });

/** A provider that answers, but not with what was asked for. */
const refusedBy = (error: unknown) =>
  isUnreachable(error)
    ? inaccessible(error)
    : new ApiError("ERR_OIDC_EXCHANGE_CODE", { message: `the identity provider: ${reasonOf(error)}` });

/** As the provider likes it; without a word from it, as the standard has it. */
const authenticateWith =
  (secret: string): ClientAuth =>
  (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isPosted = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
    const authenticate = isPosted ? ClientSecretPost(secret) : ClientSecretBasic(secret);
    return authenticate(server, client, body, headers);
  };

export type IdentityProviders = ReturnType<typeof createIdentityProviders>;

export function createIdentityProviders(config: Config, edges: ProviderEdges = {}) {
  /** Asked anew for every sign-in: what a provider said yesterday may not be true today. */
  async function discover({ issuerURL, clientID, clientSecret }: Client): Promise<Configuration> {
    const found = await discovery(new URL(issuerURL), clientID, undefined, authenticateWith(clientSecret), {
      [customFetch]: createPinnedFetch(config, edges),
      execute: [enableNonRepudiationChecks, ...(config.appEnv === "local" ? [allowInsecureRequests] : [])],
    }).catch((error: unknown) => Promise.reject(inaccessible(error)));
    const { authorization_endpoint, token_endpoint, jwks_uri } = found.serverMetadata();
    if (authorization_endpoint && token_endpoint && jwks_uri) return found;
    throw inaccessible(new ProviderUnreachable("it does not say where to sign in"));
  }

  async function signInAddress(
    found: Configuration,
    { state, nonce, codeVerifier }: Secrets,
  ): Promise<string> {
    const { scopes_supported: supported = [] } = found.serverMetadata();
    const scopes = ["openid", "email", ...WANTED_SCOPES.filter((scope) => supported.includes(scope))];
    const parameters = {
      redirect_uri: redirectURLOf(config),
      scope: scopes.join(" "),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
    };
    try {
      return buildAuthorizationUrl(found, parameters).href;
    } catch (error) {
      throw inaccessible(error);
    }
  }

  /** What the provider says of whoever came back from it; `wanted` are the claims it is asked for twice. */
  async function exchange(
    client: Client,
    { state, nonce, codeVerifier }: Secrets,
    { location, wanted }: { location: URL; wanted: readonly string[] },
  ): Promise<Claims> {
    const found = await discover(client);
    try {
      const tokens = await authorizationCodeGrant(found, location, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const told = tokens.claims();
      if (!told) throw new Error("no ID token");
      const isToldAll = wanted.every((name) => told[name] !== undefined);
      if (isToldAll || !found.serverMetadata().userinfo_endpoint) return told;
      return { ...(await fetchUserInfo(found, tokens.access_token, told.sub)), ...told };
    } catch (error) {
      throw refusedBy(error);
    }
  }

  return { discover, signInAddress, exchange };
}
