/** ID tokens that an attacker, or a provider for someone else, could have made. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { ServerResponse } from "node:http";
import { beforeEach, describe, expect, it } from "vitest";
import { errorCodesOf } from "../request-errors.ts";
import {
  ada,
  configure,
  owner,
  provider,
  server,
  signIn,
  start,
  useSignIn,
  verify,
} from "../sign-in-fixture.ts";

useSignIn();
beforeEach(() => configure());

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const providerKeys = newKeys();
const foreignKeys = newKeys();
const publicJwk = ({ publicKey }: typeof providerKeys) => ({
  ...publicKey.export({ format: "jwk" }),
  use: "sig",
  alg: "ES256",
  kid: "test",
});

type Signer = (text: string) => string;
const signWith =
  (key: KeyObject): Signer =>
  (text) =>
    sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
const signWithSecret =
  (secret: string): Signer =>
  (text) =>
    createHmac("sha256", secret).update(text).digest("base64url");

const ACCESS_TOKEN = "provider-access-token";

interface Token {
  header?: object;
  claims?: object;
  signer?: Signer;
  /** Replaces the payload after it was signed. */
  laterClaims?: object;
}

function createToken(nonce: string, { header, claims, signer, laterClaims }: Token): string {
  const seconds = Math.floor(server.ctx.clock().getTime() / 1000);
  const valid = {
    ...ada,
    iss: provider.issuerURL,
    aud: provider.clientID,
    nonce,
    iat: seconds,
    exp: seconds + 600,
  };
  const head = encode({ alg: "ES256", kid: "test", typ: "JWT", ...header });
  const signed = `${head}.${encode({ ...valid, ...claims })}`;
  const signature = (signer ?? signWith(providerKeys.privateKey))(signed);
  return laterClaims
    ? `${head}.${encode({ ...valid, ...laterClaims })}.${signature}`
    : `${signed}.${signature}`;
}

const respond = (response: ServerResponse, body: object) => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  return true;
};

/** Signs in with an ID token of the test, which the provider's own keys may have signed. */
async function signInWith(token: Token): Promise<unknown> {
  const { oidcRequestToken, redirectURL } = await start();
  const location = await provider.signIn(redirectURL);
  const nonce = new URL(redirectURL).searchParams.get("nonce") ?? "";
  provider.intercept = ({ url }, response) => {
    if (url === "/jwks") return respond(response, { keys: [publicJwk(providerKeys)] });
    if (url !== "/token") return false;
    const tokens = { access_token: ACCESS_TOKEN, token_type: "Bearer", id_token: createToken(nonce, token) };
    return respond(response, tokens);
  };
  return verify(oidcRequestToken, location);
}

const now = () => Math.floor(Date.now() / 1000);
const rejected: [string, () => Token][] = [
  ["has no signature", () => ({ header: { alg: "none" }, signer: () => "" })],
  ["has an empty signature", () => ({ signer: () => "" })],
  ["was changed after it was signed", () => ({ laterClaims: { sub: "root", email: "root@example.com" } })],
  ["is signed with another key", () => ({ signer: signWith(foreignKeys.privateKey) })],
  [
    "is signed with a key that it contains",
    () => ({ header: { jwk: publicJwk(foreignKeys) }, signer: signWith(foreignKeys.privateKey) }),
  ],
  [
    "is signed with a key at a URL that it names",
    () => ({ header: { jku: `${server.url}/keys` }, signer: signWith(foreignKeys.privateKey) }),
  ],
  [
    "is signed with the client's secret",
    () => ({ header: { alg: "HS256" }, signer: signWithSecret(provider.clientSecret) }),
  ],
  [
    "is signed with the public key as a secret",
    () => ({
      header: { alg: "HS256" },
      signer: signWithSecret(String(providerKeys.publicKey.export({ format: "pem", type: "spki" }))),
    }),
  ],
  ["is for another client", () => ({ claims: { aud: "another" } })],
  [
    "is for several clients, and another requested it",
    () => ({
      claims: { aud: [provider.clientID, "another"], azp: "another" },
    }),
  ],
  ["is from another issuer", () => ({ claims: { iss: "https://accounts.example.com" } })],
  ["has expired", () => ({ claims: { iat: now() - 7200, exp: now() - 3600 } })],
  ["isn't valid yet", () => ({ claims: { nbf: now() + 3600 } })],
  ["has no nonce", () => ({ claims: { nonce: undefined } })],
  ["has the nonce of another sign-in", () => ({ claims: { nonce: "another" } })],
  ["has no subject", () => ({ claims: { sub: undefined } })],
];

describe("an ID token", () => {
  it("of the provider is accepted, and the provider's tokens are neither returned nor stored", async () => {
    const reply = await signInWith({});
    expect(reply).toEqual({ authToken: expect.any(String) as string });
    const tables = await server.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    expect(tables.length).toBeGreaterThan(30);
    for (const { name } of tables) {
      const rows = await server.query(
        `select from "${name}" as row where row::text like '%${ACCESS_TOKEN}%'`,
      );
      expect([name, rows]).toEqual([name, []]);
    }
  });

  it.each(rejected)("is rejected if it %s", async (_reason, token) => {
    expect(await errorCodesOf(signInWith(token()))).toEqual(["ERR_OIDC_EXCHANGE_CODE"]);
    const people = await server.query("select from oidc_users where organization_id = $1", [
      owner.organizationID,
    ]);
    expect(people).toEqual([]);
  });

  it("is required: an access token alone signs nobody in", async () => {
    const { oidcRequestToken, redirectURL } = await start();
    const location = await provider.signIn(redirectURL);
    provider.intercept = ({ url }, response) =>
      url === "/token" && respond(response, { access_token: ACCESS_TOKEN, token_type: "Bearer" });
    expect(await errorCodesOf(verify(oidcRequestToken, location))).toEqual(["ERR_OIDC_EXCHANGE_CODE"]);
  });
});

describe("the metadata of a provider", () => {
  it("is rejected if it names another issuer", async () => {
    provider.intercept = ({ url }, response) =>
      url === "/.well-known/openid-configuration" &&
      respond(response, {
        issuer: "https://accounts.example.com",
        authorization_endpoint: `${provider.issuerURL}/auth`,
        token_endpoint: `${provider.issuerURL}/token`,
        jwks_uri: `${provider.issuerURL}/jwks`,
      });
    expect(await errorCodesOf(signIn())).toEqual(["ERR_OIDC_PROVIDER_INACCESSIBLE"]);
  });

  it("that requires the issuer in the response makes a response of another issuer invalid", async () => {
    const { oidcRequestToken, redirectURL } = await start();
    const location = new URL(await provider.signIn(redirectURL));
    location.searchParams.set("iss", "https://accounts.example.com");
    expect(await errorCodesOf(verify(oidcRequestToken, location.href))).toEqual(["ERR_OIDC_EXCHANGE_CODE"]);
  });
});
