/** A real identity provider in this process that signs in the person that the test chooses. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Adapter, type AdapterPayload, Provider } from "oidc-provider";

export interface ProviderPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

export interface TestProvider {
  issuerURL: string;
  clientID: string;
  clientSecret: string;
  /** The person who signs in by default. */
  person: ProviderPerson;
  /** Called before every request; returns true if it has sent a response. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** Follows the redirects of a browser and returns the callback URL. */
  signIn: (redirectURL: string, person?: ProviderPerson) => Promise<string>;
  close: () => Promise<void>;
}

export interface TestProviderOptions {
  appURL?: string;
  port?: number;
  /** Returns all claims in the ID token rather than in userinfo. */
  claimsInIdToken?: boolean;
}

const SCOPES = ["openid", "email", "profile", "groups"];
const CLAIMS = { openid: ["sub"], email: ["email", "email_verified"], profile: [], groups: ["groups"] };

/** Replaces the library's own in-memory adapter, which logs a warning. */
function createMemoryAdapter(): (kind: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  return (kind) => {
    const keyOf = (id: string) => `${kind} ${id}`;
    return {
      upsert: async (id, payload) => void stored.set(keyOf(id), payload),
      find: async (id) => stored.get(keyOf(id)),
      findByUid: async (uid) =>
        [...stored.values()].find((payload) => payload.uid === uid && payload.kind === kind),
      findByUserCode: async () => undefined,
      consume: async (id) => void Object.assign(stored.get(keyOf(id)) ?? {}, { consumed: Date.now() / 1000 }),
      destroy: async (id) => void stored.delete(keyOf(id)),
      revokeByGrantId: async (grantID) => {
        for (const [key, { grantId }] of stored) if (grantId === grantID) stored.delete(key);
      },
    };
  };
}

function createProvider(
  issuerURL: string,
  client: { id: string; secret: string },
  options: Required<Pick<TestProviderOptions, "appURL" | "claimsInIdToken">>,
  people: Map<string, ProviderPerson>,
) {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "test" };
  return new Provider(issuerURL, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${options.appURL}/auth/oidc-callback`],
        id_token_signed_response_alg: "ES256",
      },
    ],
    adapter: createMemoryAdapter(),
    jwks: { keys: [key] },
    cookies: { keys: [randomUUID()] },
    ttl: { AccessToken: 3600, Grant: 3600, IdToken: 3600, Interaction: 3600, Session: 3600 },
    scopes: SCOPES,
    claims: CLAIMS,
    conformIdTokenClaims: !options.claimsInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    // Grants consent without asking.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? "",
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope(SCOPES.join(" "));
      await grant.save();
      return grant;
    },
  });
}

export async function startProvider({
  appURL = "http://localhost:8080",
  port = 0,
  claimsInIdToken = false,
}: TestProviderOptions = {}): Promise<TestProvider> {
  const people = new Map<string, ProviderPerson>();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const issuerURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { id: "lightkeeper", secret: randomUUID() };
  const provider = createProvider(issuerURL, client, { appURL, claimsInIdToken }, people);
  const serve = provider.callback();

  const finishInteraction = async (request: IncomingMessage, response: ServerResponse) => {
    const [, personSub] = /person=([\w-]+)/.exec(request.headers.cookie ?? "") ?? [];
    const accountId = personSub ?? self.person.sub;
    if (personSub === undefined) people.set(accountId, self.person);
    await provider.interactionFinished(request, response, { login: { accountId } });
  };

  const self: TestProvider = {
    issuerURL,
    clientID: client.id,
    clientSecret: client.secret,
    person: { sub: "ada", email: "ada@example.com", email_verified: true },
    intercept: undefined,
    signIn: (redirectURL, person = self.person) => {
      people.set(person.sub, person);
      return follow(redirectURL, issuerURL, person.sub);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (self.intercept?.(request, response)) return;
    if (request.url?.startsWith("/interaction/")) void finishInteraction(request, response);
    else void serve(request, response);
  });
  return self;
}

/** Follows redirects with cookies until they leave the provider. */
async function follow(redirectURL: string, issuerURL: string, person: string): Promise<string> {
  const cookies = new Map([["person", person]]);
  let url = new URL(redirectURL);
  while (url.origin === issuerURL) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get("location");
    if (next === null)
      throw new Error(`The provider did not redirect from ${url.pathname}: ${await response.text()}`);
    url = new URL(next, url);
  }
  return url.href;
}
