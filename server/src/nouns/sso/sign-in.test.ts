import { listMembers, listNetworks, whoami } from "@lightkeeper/contract";
import { describe, expect, it } from "vitest";
import { type ProviderPerson, startProvider } from "../../testing/oidc-provider.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import {
  ada,
  configure,
  events,
  owner,
  provider,
  server,
  signIn,
  start,
  useSignIn,
  verify,
} from "../../testing/sign-in-fixture.ts";
import { HOUR_MS, MINUTE_MS } from "../../testing/server.ts";

useSignIn();

describe("signing in", () => {
  it("creates an administrator for a person, identified by issuer and subject [S4.6] [S7.8] [S7.9]", async () => {
    await configure();
    const { authToken } = await signIn(ada);
    const call = server.client(authToken);
    const { actorType, actor, organization } = await call(whoami);
    expect([actorType, organization.id]).toEqual(["oidcUser", owner.organizationID]);
    expect(actor).toMatchObject({
      email: "ada@example.com",
      issuer: provider.issuerURL,
      subject: "ada",
      role: "administrator",
    });
    expect(await call(listNetworks)).toMatchObject({ data: [] });
    const entries = await events("user");
    expect(entries.map(({ event }) => event.type).sort()).toEqual(["CREATED", "SUCCEEDED_AUTH"]);
    expect(entries[0]?.actor).toEqual({
      type: "oidcUser",
      email: "ada@example.com",
      issuer: provider.issuerURL,
      subject: "ada",
    });
  });

  it("requests a code with PKCE, state and nonce", async () => {
    await configure();
    const { redirectURL } = await start();
    const { origin, searchParams } = new URL(redirectURL);
    expect(origin).toBe(provider.issuerURL);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      response_type: "code",
      client_id: provider.clientID,
      redirect_uri: "http://localhost:8080/auth/oidc-callback",
      code_challenge_method: "S256",
      scope: "openid email profile groups",
    });
    for (const name of ["state", "nonce", "code_challenge"])
      expect(searchParams.get(name)?.length).toBeGreaterThanOrEqual(32);
  });

  it("lasts 16 hours [S9.4]", async () => {
    await configure();
    const { authToken } = await signIn();
    server.advance(16 * HOUR_MS);
    await server.client(authToken)(whoami);
    server.advance(0.1 * HOUR_MS);
    expect(await errorCodesOf(server.client(authToken)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    server.advance(-16.1 * HOUR_MS);
  });

  it("recognizes a person whose address changes, and never identifies a person by address", async () => {
    await configure();
    await signIn(ada);
    await signIn({ ...ada, email: "Ada.King@example.com" });
    await signIn({ ...ada, sub: "other-ada" });
    // The owner with the same email address is another person.
    await signIn({ ...ada, sub: "impostor", email: owner.email });
    const members = (await owner.call(listMembers)).data.map(({ kind, email }) => `${kind} ${email}`);
    expect(members.sort()).toEqual([
      "oidcUser ada.king@example.com",
      "oidcUser ada@example.com",
      `oidcUser ${owner.email}`,
      `user ${owner.email}`,
    ]);
  });

  it("applies the auditor claim at every sign-in", async () => {
    await configure({ auditorClaim: { name: "groups", value: "audit" } });
    const roleOf = async (person: ProviderPerson) => {
      const { actor } = await server.client((await signIn(person)).authToken)(whoami);
      return "role" in actor && actor.role;
    };
    expect(await roleOf({ ...ada, groups: ["staff", "audit"] })).toBe("auditor");
    expect(await roleOf({ ...ada, groups: ["staff"] })).toBe("administrator");
    expect(await roleOf(ada)).toBe("administrator");
    const change = (await events("user")).find(({ event }) => event.type === "UPDATED");
    expect(change?.event).toMatchObject({
      before: { role: "auditor" },
      after: { role: "administrator" },
    });
  });

  it("reads the address from the ID token if it is there", async () => {
    const other = await startProvider({ claimsInIdToken: true });
    try {
      await configure({ issuerURL: other.issuerURL, clientSecret: other.clientSecret });
      const requestedURLs: string[] = [];
      other.intercept = ({ url = "" }) => {
        requestedURLs.push(url);
        return false;
      };
      const { oidcRequestToken, redirectURL } = await start();
      await verify(oidcRequestToken, await other.signIn(redirectURL));
      expect(requestedURLs.filter((url) => url === "/me")).toEqual([]);
      expect(requestedURLs).toContain("/jwks");
    } finally {
      await other.close();
    }
  });

  it("cannot be completed with the content of a database dump", async () => {
    await configure();
    const { oidcRequestToken } = await start();
    const { authToken } = await signIn();
    for (const table of ["oidc_providers", "oidc_requests", "oidc_sessions", "audit_logs"]) {
      const [dump] = await server.query<{ text: string }>(`select json_agg(t)::text as text from ${table} t`);
      for (const secret of [oidcRequestToken, authToken, provider.clientSecret])
        expect(dump?.text).not.toContain(secret);
    }
  });
});

describe("a person who may not sign in", () => {
  const rejected = async (person: ProviderPerson) => (await errorsOf(signIn(person)))[0];

  it("has an address at another domain", async () => {
    await configure();
    expect(await rejected({ ...ada, email: "ada@example.com.evil.org" })).toEqual({
      code: "ERR_OIDC_NOT_ALLOWED",
      message: "email addresses at example.com.evil.org can’t sign in to this organization",
    });
    const [entry] = await events("oidcProvider");
    expect(entry).toMatchObject({
      actor: { type: "oidcUser", subject: "ada" },
      event: { type: "FAILED_AUTH", after: { factor: "sso" } },
    });
    expect(await events("user")).toEqual([]);
  });

  it("has an address that the provider has not verified", async () => {
    await configure();
    const { code, message } = (await rejected({ ...ada, email_verified: false })) ?? {};
    expect(code).toBe("ERR_OIDC_NOT_ALLOWED");
    expect(message).toBe("the identity provider has not verified the email address ada@example.com");
  });

  it("has no address, which is reported as a missing claim [S8.12]", async () => {
    await configure({ requiredClaim: { name: "groups", value: "staff" } });
    expect(await rejected({ sub: "ada" })).toMatchObject({
      code: "ERR_OIDC_MISSING_CLAIMS",
      extra: { missingClaims: ["email", "groups"] },
    });
    expect((await events("oidcProvider"))[0]?.actor).toEqual({ type: "system" });
  });

  it("has another value of the required claim, whatever the domain", async () => {
    await configure({ allowedDomains: [], requiredClaim: { name: "groups", value: "staff" } });
    expect((await rejected({ ...ada, groups: ["stafff"] }))?.code).toBe("ERR_OIDC_NOT_ALLOWED");
    await signIn({ ...ada, email: "ada@anywhere.example", groups: ["guests", "staff"] });
  });
});

describe("a sign-in", () => {
  const INVALID = [{ code: "ERR_INVALID_OIDC_REQUEST_TOKEN", path: "oidcRequestToken" }];

  it("can be finished once, also with concurrent requests", async () => {
    await configure();
    const { oidcRequestToken, redirectURL } = await start();
    const location = await provider.signIn(redirectURL);
    const outcomes = await Promise.all([1, 2, 3].map(() => outcomeOf(verify(oidcRequestToken, location))));
    expect(outcomes.sort()).toEqual([
      "ERR_INVALID_OIDC_REQUEST_TOKEN",
      "ERR_INVALID_OIDC_REQUEST_TOKEN",
      "done",
    ]);
    expect(await errorsOf(verify(oidcRequestToken, location))).toMatchObject(INVALID);
  });

  it("creates one person with two concurrent first sign-ins", async () => {
    await configure();
    await Promise.all([signIn(ada), signIn(ada)]);
    const members = (await owner.call(listMembers)).data.filter(({ kind }) => kind === "oidcUser");
    expect(members).toHaveLength(1);
  });

  it("expires after ten minutes", async () => {
    await configure();
    const { oidcRequestToken, redirectURL } = await start();
    const location = await provider.signIn(redirectURL);
    server.advance(10 * MINUTE_MS);
    expect(await errorsOf(verify(oidcRequestToken, location))).toMatchObject(INVALID);
  });

  it("requires its own state and our callback URL", async () => {
    await configure();
    const theirs = await provider.signIn((await start()).redirectURL);
    const wrong = (change: (url: URL) => void) => (location: string) => {
      const url = new URL(location);
      change(url);
      return url.href;
    };
    const places = [
      () => theirs,
      wrong((url) => url.searchParams.set("state", "guessed")),
      wrong((url) => url.searchParams.append("state", "second")),
      wrong((url) => (url.host = "evil.example")),
      wrong((url) => (url.pathname = "/elsewhere")),
      () => "no address",
    ];
    for (const place of places) {
      const { oidcRequestToken, redirectURL } = await start();
      const location = await provider.signIn(redirectURL);
      expect(await errorsOf(verify(oidcRequestToken, place(location)))).toMatchObject(INVALID);
    }
  });

  it("rejects a code with another nonce or challenge, and a used code [S8.11]", async () => {
    await configure();
    const altered = async (name: string, value: string) => {
      const { oidcRequestToken, redirectURL } = await start();
      const url = new URL(redirectURL);
      url.searchParams.set(name, value);
      return errorCodesOf(verify(oidcRequestToken, await provider.signIn(url.href)));
    };
    expect(await altered("nonce", "another")).toEqual(["ERR_OIDC_EXCHANGE_CODE"]);
    expect(await altered("code_challenge", "A".repeat(43))).toEqual(["ERR_OIDC_EXCHANGE_CODE"]);
    const stolen = new URL(await provider.signIn((await start()).redirectURL));
    const { oidcRequestToken, redirectURL } = await start();
    const location = new URL(await provider.signIn(redirectURL));
    location.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    expect(await errorCodesOf(verify(oidcRequestToken, location.href))).toEqual(["ERR_OIDC_EXCHANGE_CODE"]);
    expect((await events("oidcProvider")).map(({ event }) => event.type)).toEqual([
      "FAILED_AUTH",
      "FAILED_AUTH",
      "FAILED_AUTH",
    ]);
  });

  it("fails if the provider rejects it", async () => {
    await configure();
    const { oidcRequestToken, redirectURL } = await start();
    const state = new URL(redirectURL).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ error: "access_denied", state, iss: provider.issuerURL });
    const location = `http://localhost:8080/auth/oidc-callback?${String(query)}`;
    expect(await errorCodesOf(verify(oidcRequestToken, location))).toEqual(["ERR_OIDC_EXCHANGE_CODE"]);
  });

  it("can be completed only for the organization it was started for", async () => {
    await configure();
    const stranger = await server.signUp();
    await configure({}, stranger);
    const { authToken } = await signIn();
    expect((await server.client(authToken)(whoami)).organization.id).toBe(owner.organizationID);
    const { oidcRequestToken } = await start(stranger.organizationID);
    const location = await provider.signIn((await start()).redirectURL);
    expect(await errorsOf(verify(oidcRequestToken, location))).toMatchObject(INVALID);
  });
});
