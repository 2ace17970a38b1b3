/** Endpoints that issue credentials, change access or can't be undone require a recent second factor. */
import {
  type Client,
  codesOf,
  createApiKey,
  createTotpAuthenticator,
  deleteOrganization,
  deleteTotpAuthenticator,
  listTotpAuthenticators,
  requiresRecentFactor,
  verifyTotpAuthenticator,
  whoami,
} from "@lightkeeper/contract";
import { endpoints } from "@lightkeeper/contract/endpoints";
import { openApiDocument } from "@lightkeeper/contract/openapi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outcomeOf, errorCodesOf } from "../request-errors.ts";
import { endpointNamed, prepare, send } from "../requests.ts";
import { insertSsoUser } from "../sso-users.ts";
import { HOUR_MS, MINUTE_MS, renew, startTestServer, type TestServer } from "../server.ts";
import { logInByLink } from "../logins.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

const marked = [...endpoints.keys()].filter((name) => requiresRecentFactor(endpointNamed(name)));
const renewal = { status: 401, codes: ["ERR_2FA_RENEWAL_REQUIRED"] };

async function startSetup(call: Client, name = "Further") {
  const { totpToken, secret } = await call(createTotpAuthenticator, { body: { name } });
  return { body: { totpToken, code: server.code(secret) }, secret };
}

/** There is no identity provider and no DNS in these tests. */
const unavailableCodes: Record<string, string> = {
  testOidcProvider: "ERR_OIDC_PROVIDER_INACCESSIBLE",
  verifyDomain: "ERR_DNS_LOOKUP_FAILED",
};

describe("the endpoints that need a recent second factor", () => {
  it("are on this list", () => {
    const names = [
      "createTotpAuthenticator",
      "verifyTotpAuthenticator",
      "deleteTotpAuthenticator",
      "createRecoveryCodes",
      "updateOidcProvider",
      "deleteOidcProvider",
      "testOidcProvider",
      "addDomain",
      "verifyDomain",
      "removeDomain",
      "deleteOrganization",
      "inviteMember",
      "updateMember",
      "removeMember",
      "leaveOrganization",
      "readmitMember",
      "rotateCa",
      "upgradeNetwork",
      "finishNetworkUpgrade",
      "revertNetworkUpgrade",
      "createApiKey",
      "updateApiKey",
      "rotateApiKey",
    ];
    expect(marked.toSorted()).toEqual(names.sort());
  });

  it.each(marked)(
    "%s: rejects a second factor older than an hour and accepts a new second factor",
    async (name) => {
      const owner = await server.signUp();
      const stale = await prepare(name, server, owner);
      server.advance(HOUR_MS);
      expect(await send(server, name, stale, [owner.userToken, owner.authToken])).not.toEqual(renewal);

      const again = await server.signUp();
      const late = await prepare(name, server, again);
      server.advance(HOUR_MS + 1);
      expect(await send(server, name, late, [again.userToken, again.authToken])).toEqual(renewal);
      // The check comes before the request is validated.
      const malformed = { ...late, ...(late.body && { body: { unknown: true } }) };
      expect(await send(server, name, malformed, [again.userToken, again.authToken])).toEqual(renewal);
      const fresh = await renew(server, again);
      const sample = await prepare(name, server, fresh);
      const received = await send(server, name, sample, [fresh.userToken, fresh.authToken]);
      const code = unavailableCodes[name];
      expect(received).toEqual(code ? { status: 400, codes: [code] } : { status: 200, codes: [] });
    },
  );

  const forSso = marked.filter((name) => endpointNamed(name).access.kind === "session");

  it.each(forSso)("%s: requires a recent sign-in of a single sign-on user", async (name) => {
    const owner = await server.signUp();
    const token = await insertSsoUser(server, owner);
    server.advance(HOUR_MS + 1);
    const fresh = await renew(server, owner);
    expect(await send(server, name, await prepare(name, server, fresh), [token])).toEqual(renewal);
    const next = await insertSsoUser(server, owner);
    expect(await send(server, name, await prepare(name, server, fresh), [next])).toEqual({
      status: 200,
      codes: [],
    });
  });

  it("are documented in the reference and declare the error", () => {
    const document = openApiDocument();
    for (const [name, endpoint] of endpoints) {
      const isMarked = marked.includes(name);
      const { description } = document.paths[endpoint.path]![endpoint.method.toLowerCase()]!;
      expect([name, description.includes("within the last hour")]).toEqual([name, isMarked]);
      expect([name, codesOf(endpoint).includes("ERR_2FA_RENEWAL_REQUIRED")]).toEqual([name, isMarked]);
    }
  });
});

describe("a session with an old second factor", () => {
  it("cannot get a recent second factor by registering another authenticator", async () => {
    const owner = await server.signUp();
    const early = await startSetup(owner.call);
    server.advance(HOUR_MS + 1);
    expect(await errorCodesOf(startSetup(owner.call))).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    const finish = owner.call(verifyTotpAuthenticator, { body: early.body });
    expect(await errorCodesOf(finish)).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    expect(await owner.call(listTotpAuthenticators)).toHaveLength(1);
  });

  it("cannot delete an authenticator", async () => {
    const owner = await server.signUp();
    const { body } = await startSetup(owner.call);
    const { authenticator } = await owner.call(verifyTotpAuthenticator, { body });
    server.advance(HOUR_MS + 1);
    const remove = owner.call(deleteTotpAuthenticator, { params: { totpID: authenticator.id } });
    expect(await errorCodesOf(remove)).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    expect(await owner.call(listTotpAuthenticators)).toHaveLength(2);
  });
});

describe("the token of a further authenticator", () => {
  async function registerAfter(ms: number) {
    const owner = await server.signUp();
    server.advance(ms);
    const { body } = await startSetup(owner.call);
    const { authToken } = await owner.call(verifyTotpAuthenticator, { body });
    return { ...owner, call: server.client(owner.userToken, authToken) };
  }

  it("is as old as the factor that was presented", async () => {
    const { call, organizationID } = await registerAfter(50 * MINUTE_MS);
    const createKey = () => call(createApiKey, { body: { name: "Key", scopes: ["hosts:list"] } });
    await createKey();
    server.advance(10 * MINUTE_MS + 1);
    const deleteAll = () => call(deleteOrganization, { params: { organizationID } });
    for (const attempt of [createKey, deleteAll])
      expect(await errorCodesOf(attempt())).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    expect(await call(whoami)).toMatchObject({ organization: { id: organizationID } });
  });

  it("expires when the factor that was presented expires", async () => {
    const { call } = await registerAfter(50 * MINUTE_MS);
    server.advance(15 * HOUR_MS);
    expect(await call(whoami)).toMatchObject({ actorType: "user" });
    server.advance(15 * MINUTE_MS);
    expect(await errorCodesOf(call(whoami))).toEqual(["ERR_2FA_REQUIRED"]);
  });
});

describe("a setup started without a second factor", () => {
  it("requires a second factor after the user has an authenticator, even if several setups run in parallel", async () => {
    const owner = await server.signUp();
    await server.query("delete from totp_authenticators where user_id = $1", [owner.userID]);
    const withoutSecondFactor = server.client(await logInByLink(server, owner.email));
    const setups = await Promise.all([
      startSetup(withoutSecondFactor),
      startSetup(withoutSecondFactor),
      startSetup(withoutSecondFactor),
    ]);
    const outcomes = await Promise.all(
      setups.map(({ body }) => outcomeOf(withoutSecondFactor(verifyTotpAuthenticator, { body }))),
    );
    expect(outcomes.sort()).toEqual(["ERR_2FA_REQUIRED", "ERR_2FA_REQUIRED", "done"]);
    expect(
      await server.query("select id from totp_authenticators where user_id = $1", [owner.userID]),
    ).toHaveLength(1);
  });
});
