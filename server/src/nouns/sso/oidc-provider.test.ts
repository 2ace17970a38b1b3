import {
  createNetwork,
  createRole,
  createTag,
  deleteNetwork,
  deleteOidcProvider,
  deleteRole,
  deleteTag,
  getOidcProvider,
  getTagDependents,
  listAuditLogs,
  startOidc,
  testOidcProvider,
  updateOidcProvider,
  verifyOidc,
  verifyOidcTrial,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startProvider, type TestProvider } from "../../testing/oidc-provider.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { insertSsoUser } from "../../testing/sso-users.ts";
import { HOUR_MS, renew, type Session, startTestServer, type TestServer } from "../../testing/server.ts";
import { configureSso, signInWithSso, ssoSettings } from "../../testing/sso-sign-in.ts";

let server: TestServer;
let provider: TestProvider;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer({ environment: { OIDC_ALLOWED_HOSTS: "127.0.0.1" } });
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
  await server.close();
});
beforeEach(async () => {
  owner = await server.signUp();
});

const settings = () => ssoSettings(provider);
const put = (change: object = {}, session = owner) => configureSso(session, provider, change);

const logs = async () =>
  (await owner.call(listAuditLogs, { query: { "filter.targetType": "oidcProvider" } })).data;

describe("the identity provider", () => {
  it("is null at first, then shows the owner's settings without the secret [S2.22]", async () => {
    expect(await owner.call(getOidcProvider)).toBeNull();
    const shown = await put({ name: " Staff ", allowedDomains: ["Example.com", "example.com"] });
    expect(shown).toMatchObject({
      name: "Staff",
      issuerURL: provider.issuerURL,
      clientID: "lightkeeper",
      allowedDomains: ["example.com"],
      requiredClaim: null,
      defaultRole: "administrator",
      trustsEmails: false,
      endpoint: null,
      redirectURL: "http://localhost:8080/auth/oidc-callback",
      loginURL: `http://localhost:8080/auth/login/${owner.organizationID}`,
    });
    expect(JSON.stringify(shown)).not.toContain(provider.clientSecret);
    expect(await owner.call(getOidcProvider)).toEqual(shown);
    await owner.call(deleteOidcProvider);
    expect(await owner.call(getOidcProvider)).toBeNull();
    const data = await logs();
    expect(data.map(({ event }) => event.type)).toEqual(["DELETED", "CREATED"]);
    expect(JSON.stringify(data)).not.toContain(provider.clientSecret);
  });

  it("accepts its own output, and keeps its secret while issuer and client stay the same", async () => {
    const shown = await put();
    const again = await owner.call(updateOidcProvider, { body: { ...shown, name: "Renamed" } });
    expect(again).toEqual({ ...shown, name: "Renamed", modifiedAt: again.modifiedAt });
    await signInWithSso(server, provider, { organizationID: owner.organizationID });
    for (const change of [{ issuerURL: "https://evil.example" }, { clientID: "another" }])
      for (const call of [updateOidcProvider, testOidcProvider])
        expect(await errorsOf(owner.call(call, { body: { ...shown, ...change } }))).toMatchObject([
          { code: "ERR_INVALID_VALUE", path: "clientSecret" },
        ]);
  });

  it("rejects settings that admit everyone, and private issuer addresses", async () => {
    const errorsFor = async (change: object) =>
      (await errorsOf(put(change))).map(({ code, path }) => `${code} ${path}`);
    expect(await errorsFor({ allowedDomains: [] })).toEqual(["ERR_INVALID_VALUE allowedDomains"]);
    expect(await errorsFor({ allowedDomains: ["@example.com"] })).toEqual([
      "ERR_INVALID_VALUE allowedDomains[0]",
    ]);
    for (const issuerURL of [
      "example.com",
      "ftp://example.com",
      "javascript:alert(1)",
      "https://user:word@example.com",
      "https://example.com?x",
      "https://10.0.0.1",
      "http://[::1]",
    ])
      expect([issuerURL, await errorsFor({ issuerURL })]).toEqual([
        issuerURL,
        ["ERR_INVALID_VALUE issuerURL"],
      ]);
    expect(await errorsFor({ clientSecret: undefined })).toEqual(["ERR_INVALID_VALUE clientSecret"]);
    expect(await errorsFor({ surprise: 1 })).toEqual(["ERR_INVALID_VALUE surprise"]);
    expect(await owner.call(getOidcProvider)).toBeNull();
  });

  it("is set by an owner with a recent second factor, never by a person who uses single sign-on [S6.1]", async () => {
    await put();
    const sso = server.client(await insertSsoUser(server, owner));
    expect(await sso(getOidcProvider)).toMatchObject({ issuerURL: provider.issuerURL });
    for (const call of [put({}, { ...owner, call: sso }), sso(deleteOidcProvider)])
      expect(await errorCodesOf(call)).toEqual(["ERR_FORBIDDEN"]);
    server.advance(HOUR_MS + 1000);
    expect(await errorCodesOf(put())).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    expect(await errorCodesOf(owner.call(deleteOidcProvider))).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    await put({}, await renew(server, owner));
  });

  it("ends the sessions of single sign-on when the rules change, and no others", async () => {
    await put();
    const stranger = await server.signUp();
    const theirs = await insertSsoUser(server, stranger);
    const session = () => insertSsoUser(server, owner).then((token) => server.client(token));
    const ends = async (change: () => Promise<unknown>) => {
      const call = await session();
      await change();
      return (await outcomeOf(call(whoami))) === "ERR_UNAUTHORIZED";
    };
    expect(await ends(() => put({ name: "Renamed" }))).toBe(false);
    expect(await ends(() => put({ allowedDomains: ["example.org"] }))).toBe(true);
    expect(await ends(() => put({ auditorClaim: { name: "groups", value: "all" } }))).toBe(true);
    expect(await ends(() => put({ clientID: "another" }))).toBe(true);
    expect(await ends(() => owner.call(deleteOidcProvider))).toBe(true);
    await server.client(theirs)(whoami);
    await owner.call(whoami);
  });

  it("serializes concurrent changes and deletions", async () => {
    const changes = await Promise.all([1, 2, 3].map((n) => outcomeOf(put({ name: `Name ${n}` }))));
    expect(changes).toEqual(["done", "done", "done"]);
    const ends = await Promise.all([1, 2].map(() => outcomeOf(owner.call(deleteOidcProvider))));
    expect(ends.sort()).toEqual(["ERR_OIDC_NOT_CONFIGURED", "done"]);
  });

  it("stores the network and role of devices, which must exist", async () => {
    const network = await owner.call(createNetwork, { body: { name: "Devices" } });
    const role = await owner.call(createRole, { body: { name: "Laptop" } });
    const endpoint = { networkID: network.id, roleID: role.id, tags: ["kind:laptop"] };
    expect((await put({ endpoint })).endpoint).toEqual({
      ...endpoint,
      validDays: 30,
      requiresApproval: false,
    });
    const stranger = await server.signUp();
    const elsewhere = await stranger.call(createNetwork, { body: { name: "Theirs" } });
    const stray = async (change: object) =>
      (await errorsOf(put({ endpoint: { ...endpoint, ...change } }))).map(
        ({ code, path }) => `${code} ${path}`,
      );
    expect(await stray({ networkID: elsewhere.id })).toEqual(["ERR_INVALID_REFERENCE endpoint.networkID"]);
    expect(await stray({ roleID: "role-none" })).toEqual(["ERR_INVALID_REFERENCE endpoint.roleID"]);
    expect(await stray({ validDays: 0 })).toEqual(["ERR_INVALID_VALUE endpoint.validDays"]);
    await owner.call(deleteRole, { params: { roleID: role.id } });
    expect((await owner.call(getOidcProvider))?.endpoint?.roleID).toBeNull();
    const [log] = await logs();
    expect(log?.event).toMatchObject({
      before: { endpoint: { roleID: role.id } },
      after: { endpoint: { roleID: null } },
    });
    await owner.call(deleteNetwork, { params: { networkID: network.id } });
    expect((await owner.call(getOidcProvider))?.endpoint).toBeNull();
  });
});

it("does not assign a deleted tag to devices", async () => {
  const network = await owner.call(createNetwork, { body: { name: "Devices" } });
  const tags = ["kind:laptop", "kind:phone"];
  for (const name of tags) await owner.call(createTag, { body: { name } });
  await put({ endpoint: { networkID: network.id, tags } });
  const params = { tag: "kind:laptop" };
  expect(await owner.call(getTagDependents, { params })).toMatchObject({ isUsedForDevices: true });
  expect(await owner.call(getTagDependents, { params: { tag: "kind:phone" } })).toMatchObject({
    hostCount: 0,
    isUsedForDevices: true,
  });
  await owner.call(deleteTag, { params });
  expect((await owner.call(getOidcProvider))?.endpoint?.tags).toEqual(["kind:phone"]);
  const [log] = await logs();
  expect(log?.event).toMatchObject({
    type: "UPDATED",
    before: { endpoint: { tags } },
    after: { endpoint: { tags: ["kind:phone"] } },
  });
  await owner.call(deleteTag, { params: { tag: "kind:phone" }, query: { detach: true } });
  expect((await owner.call(getOidcProvider))?.endpoint?.tags).toEqual([]);
});

describe("testing the connection to a provider", () => {
  const test = (change: object = {}, session = owner) =>
    session.call(testOidcProvider, { body: { ...settings(), ...change } });
  const finish = (body: { oidcRequestToken: string; location: string }, session = owner) =>
    session.call(verifyOidcTrial, { body });

  it("shows the discovery document and the role a person would get, and changes nothing", async () => {
    const auditorClaim = { name: "groups", value: "audit" };
    const { discovery, trial } = await test({ auditorClaim });
    expect(discovery).toMatchObject({
      issuer: provider.issuerURL,
      authorizationEndpoint: `${provider.issuerURL}/auth`,
      tokenEndpoint: `${provider.issuerURL}/token`,
      userinfoEndpoint: `${provider.issuerURL}/me`,
      scopes: ["openid", "email", "profile", "groups"],
    });
    expect(discovery.claims).toContain("email");
    const person = { sub: "eve", email: "eve@example.com", email_verified: true, groups: ["audit"] };
    const location = await provider.signIn(trial.redirectURL, person);
    const found = await finish({ oidcRequestToken: trial.oidcRequestToken, location });
    expect(found).toMatchObject({
      email: "eve@example.com",
      subject: "eve",
      role: "auditor",
      isEmailVerifiedMissing: false,
      isAdmitted: true,
    });
    expect(found.claims).toEqual(expect.arrayContaining(["email", "groups", "iss", "sub"]));
    expect(await owner.call(getOidcProvider)).toBeNull();
    const people = await server.query("select id from oidc_users where organization_id = $1", [
      owner.organizationID,
    ]);
    expect(people).toEqual([]);
  });

  it("shows why a person could not sign in, or why the provider cannot be reached", async () => {
    const { trial } = await test({ allowedDomains: ["example.org"] });
    const location = await provider.signIn(trial.redirectURL);
    expect(await errorsOf(finish({ oidcRequestToken: trial.oidcRequestToken, location }))).toEqual([
      {
        code: "ERR_OIDC_NOT_ALLOWED",
        message: "email addresses at example.com can’t sign in to this organization",
      },
    ]);
    const other = await startProvider();
    await other.close();
    for (const [issuerURL, message] of [
      [other.issuerURL, "127.0.0.1 could not be reached (ECONNREFUSED)"],
      ["https://sso.example", "sso.example could not be reached"],
      [`${provider.issuerURL}/elsewhere`, "unexpected HTTP response status code"],
    ])
      expect(await errorsOf(test({ issuerURL }))).toEqual([
        { code: "ERR_OIDC_PROVIDER_INACCESSIBLE", message },
      ]);
  });

  it("with a wrong secret shows that the provider rejects it", async () => {
    const { trial } = await test({ clientSecret: "wrong" });
    const location = await provider.signIn(trial.redirectURL);
    expect(await errorCodesOf(finish({ oidcRequestToken: trial.oidcRequestToken, location }))).toEqual([
      "ERR_OIDC_EXCHANGE_CODE",
    ]);
  });

  it("belongs to the person who started it, creates no session, and stores its secret encrypted", async () => {
    const attempts = [
      async (body: { oidcRequestToken: string; location: string }) =>
        errorCodesOf(finish(body, await server.signUp())),
      async (body: { oidcRequestToken: string; location: string }) =>
        errorCodesOf(server.client()(verifyOidc, { body })),
    ];
    for (const attempt of attempts) {
      const { trial } = await test();
      const location = await provider.signIn(trial.redirectURL);
      const body = { oidcRequestToken: trial.oidcRequestToken, location };
      expect(await attempt(body)).toEqual(["ERR_INVALID_OIDC_REQUEST_TOKEN"]);
      const [row] = await server.query<{ dump: string }>(
        "select json_agg(r)::text as dump from oidc_requests r",
      );
      expect(row?.dump).not.toContain(Buffer.from(provider.clientSecret).toString("hex"));
      await finish(body);
    }
    await put();
    const started = await server.client()(startOidc, { params: { orgID: owner.organizationID } });
    const location = await provider.signIn(started.redirectURL);
    expect(await errorCodesOf(finish({ oidcRequestToken: started.oidcRequestToken, location }))).toEqual([
      "ERR_INVALID_OIDC_REQUEST_TOKEN",
    ]);
  });
});
