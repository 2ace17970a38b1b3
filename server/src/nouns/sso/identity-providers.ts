/** Requests to an identity provider, and the errors they lead to. */
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
import { type OutgoingEdges, UnreachableError } from "../../infrastructure/outgoing/pinned-connections.ts";
import { createPinnedFetch } from "./pinned-fetch.ts";

export interface Client {
  issuerURL: string;
  clientID: string;
  clientSecret: string;
}

/** Known only to the server that started the sign-in. */
export interface Secrets {
  state: string;
  nonce: string;
  codeVerifier: string;
}

interface ReturnedSignIn {
  /** The URL to which the provider redirected the person. */
  location: URL;
  requestedClaims: readonly string[];
}

export interface IdentityProviders {
  /** Not cached: endpoints and keys of a provider may change. */
  discover(client: Client): Promise<Configuration>;
  buildSignInURL(configuration: Configuration, secrets: Secrets): Promise<string>;
  /** Returns the claims of the person. If `requestedClaims` are missing in the ID token, reads the userinfo endpoint too. */
  exchange(client: Client, secrets: Secrets, returned: ReturnedSignIn): Promise<Claims>;
}

const OPTIONAL_SCOPES = ["profile", "groups"];

export const redirectURLOf = ({ appURL }: Pick<Config, "appURL">) => `${appURL}/auth/oidc-callback`;

/** Prefers the message of a UnreachableError anywhere in the chain of causes. */
function describeCause(error: unknown): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof UnreachableError) return cause.message;
  return error instanceof Error ? error.message : "no response";
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && (error instanceof UnreachableError || isUnreachable(error.cause));

const inaccessibleError = (error: unknown) =>
  new ApiError("ERR_OIDC_PROVIDER_INACCESSIBLE", { message: describeCause(error) });

/** Distinguishes a provider that rejects the request from one that cannot be reached. */
const exchangeError = (error: unknown) =>
  isUnreachable(error)
    ? inaccessibleError(error)
    : new ApiError("ERR_OIDC_EXCHANGE_CODE", {
        message: `the identity provider rejected the sign-in: ${describeCause(error)}`,
      });

/** Uses the method that the provider supports; client_secret_basic is the default of the standard. */
const authenticateWith =
  (secret: string): ClientAuth =>
  (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isPosted = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
    const authenticate = isPosted ? ClientSecretPost(secret) : ClientSecretBasic(secret);
    return authenticate(server, client, body, headers);
  };

async function discoverProvider(
  config: Config,
  edges: OutgoingEdges,
  { issuerURL, clientID, clientSecret }: Client,
): Promise<Configuration> {
  const configuration = await discovery(
    new URL(issuerURL),
    clientID,
    undefined,
    authenticateWith(clientSecret),
    {
      [customFetch]: createPinnedFetch(config, edges),
      execute: [enableNonRepudiationChecks, ...(config.appEnv === "local" ? [allowInsecureRequests] : [])],
    },
  ).catch((error: unknown) => Promise.reject(inaccessibleError(error)));
  const { authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata();
  if (authorization_endpoint && token_endpoint && jwks_uri) return configuration;
  throw inaccessibleError(new UnreachableError("its discovery document has no sign-in endpoints"));
}

async function buildSignInURL(
  configuration: Configuration,
  redirectURL: string,
  { state, nonce, codeVerifier }: Secrets,
): Promise<string> {
  const { scopes_supported: supported = [] } = configuration.serverMetadata();
  const scopes = ["openid", "email", ...OPTIONAL_SCOPES.filter((scope) => supported.includes(scope))];
  const parameters = {
    redirect_uri: redirectURL,
    scope: scopes.join(" "),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  };
  try {
    return buildAuthorizationUrl(configuration, parameters).href;
  } catch (error) {
    throw inaccessibleError(error);
  }
}

async function exchangeCode(
  configuration: Configuration,
  { state, nonce, codeVerifier }: Secrets,
  { location, requestedClaims }: ReturnedSignIn,
): Promise<Claims> {
  try {
    const tokens = await authorizationCodeGrant(configuration, location, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error("no ID token");
    const isComplete = requestedClaims.every((name) => claims[name] !== undefined);
    if (isComplete || !configuration.serverMetadata().userinfo_endpoint) return claims;
    return { ...(await fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
  } catch (error) {
    throw exchangeError(error);
  }
}

export function createIdentityProviders(config: Config, edges: OutgoingEdges = {}): IdentityProviders {
  const discover = (client: Client) => discoverProvider(config, edges, client);
  return {
    discover,
    buildSignInURL: (configuration, secrets) => buildSignInURL(configuration, redirectURLOf(config), secrets),
    exchange: async (client, secrets, returned) => exchangeCode(await discover(client), secrets, returned),
  };
}
