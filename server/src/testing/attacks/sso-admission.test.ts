/** Single sign-on accepts only people allowed by the owner's settings, and no removed members. */
import {
  getOidcProvider,
  listAuditLogs,
  listMembers,
  listNetworks,
  readmitMember,
  removeMember,
  testOidcProvider,
  updateOidcProvider,
  verifyOidcTrial,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "../../infrastructure/db/migrate.ts";
import { createTestDatabase } from "../database.ts";
import { type ProviderPerson, startProvider, type TestProvider } from "../oidc-provider.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../request-errors.ts";
import { HOUR_MS, renew, type Session, startTestServer, type TestServer } from "../server.ts";
import { withConnection } from "../transfer-fixtures.ts";
import { configureSso, signInWithSso, type SsoSettings, ssoSettings } from "../sso-sign-in.ts";

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

const settings = (change: SsoSettings = {}) => ssoSettings(provider, change);
const configure = (change: SsoSettings = {}) => configureSso(owner, provider, change);
const signIn = async (person: ProviderPerson) => {
  const { organizationID } = owner;
  return server.client(await signInWithSso(server, provider, { organizationID, person }));
};
const ada = { sub: "ada", email: "ada@example.com", email_verified: true };
const unconfirmed = { sub: "bob", email: "bob@example.com" };
const roleOf = async (call: Awaited<ReturnType<typeof signIn>>) => {
  const { actor } = await call(whoami);
  return "role" in actor && actor.role;
};
const memberNamed = async (email: string) => {
  const found = (await owner.call(listMembers)).data.find((member) => member.email === email);
  if (!found) throw new Error(`${email} is not listed`);
  return found;
};

describe("an email address that the provider doesn't confirm", () => {
  it("is rejected when email_verified is missing, and accepted once the owner trusts the provider", async () => {
    await configure();
    expect(await errorsOf(signIn(unconfirmed))).toMatchObject([
      { code: "ERR_OIDC_MISSING_CLAIMS", extra: { missingClaims: ["email_verified"] } },
    ]);
    expect((await owner.call(listMembers)).data.filter(({ kind }) => kind === "oidcUser")).toEqual([]);
    await configure({ trustsEmails: true });
    await (
      await signIn(unconfirmed)
    )(whoami);
  });

  it.each([false, "false", "no", 0, "TRUE"])(
    "is rejected when email_verified is %j, whether or not the owner trusts the provider",
    async (email_verified) => {
      for (const trustsEmails of [false, true]) {
        await configure({ trustsEmails });
        const person = { ...unconfirmed, email_verified } as ProviderPerson;
        expect(await errorCodesOf(signIn(person))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
      }
    },
  );

  it("is reported by a connection test, which shows whether the person could sign in", async () => {
    const runConnectionTest = async (change: SsoSettings, person: ProviderPerson) => {
      const { trial } = await owner.call(testOidcProvider, { body: settings(change) });
      const location = await provider.signIn(trial.redirectURL, person);
      const body = { oidcRequestToken: trial.oidcRequestToken, location };
      return owner.call(verifyOidcTrial, { body });
    };
    expect(await runConnectionTest({}, unconfirmed)).toMatchObject({
      email: "bob@example.com",
      isEmailVerifiedMissing: true,
      isAdmitted: false,
    });
    expect(await runConnectionTest({ trustsEmails: true }, unconfirmed)).toMatchObject({
      isEmailVerifiedMissing: true,
      isAdmitted: true,
    });
    expect(await runConnectionTest({}, ada)).toMatchObject({
      isEmailVerifiedMissing: false,
      isAdmitted: true,
    });
    expect(await errorCodesOf(runConnectionTest({}, { ...unconfirmed, email_verified: false }))).toEqual([
      "ERR_OIDC_NOT_ALLOWED",
    ]);
  });

  it("no longer keeps a session when the owner stops trusting the provider", async () => {
    await configure({ trustsEmails: true });
    const session = await signIn(unconfirmed);
    await configure({ trustsEmails: false });
    expect(await outcomeOf(session(whoami))).toBe("ERR_UNAUTHORIZED");
  });
});

describe("the role of people who sign in", () => {
  it("must be chosen when a provider is set up, and is kept when a later change leaves it out", async () => {
    const body = settings({ defaultRole: undefined });
    for (const call of [updateOidcProvider, testOidcProvider])
      expect(await errorsOf(owner.call(call, { body }))).toMatchObject([
        { code: "ERR_INVALID_VALUE", path: "defaultRole" },
      ]);
    expect(await owner.call(getOidcProvider)).toBeNull();
    expect(await errorsOf(configure({ defaultRole: "owner" as never }))).toMatchObject([
      { code: "ERR_INVALID_VALUE", path: "defaultRole" },
    ]);
    await configure({ defaultRole: "auditor" });
    await owner.call(updateOidcProvider, { body });
    expect(await owner.call(getOidcProvider)).toMatchObject({ defaultRole: "auditor" });
  });

  it("is the default role at every sign-in, unless they have the auditor claim", async () => {
    await configure({ defaultRole: "auditor" });
    const session = await signIn(ada);
    expect(await roleOf(session)).toBe("auditor");
    await session(listNetworks);
    await configure({ defaultRole: "administrator", auditorClaim: { name: "groups", value: "audit" } });
    expect(await outcomeOf(session(whoami))).toBe("ERR_UNAUTHORIZED");
    expect(await roleOf(await signIn(ada))).toBe("administrator");
    expect(await roleOf(await signIn({ ...ada, groups: ["audit"] }))).toBe("auditor");
  });
});

describe("a removed member", () => {
  it("cannot sign in again until an owner readmits them", async () => {
    await configure();
    const session = await signIn(ada);
    const { id } = await memberNamed(ada.email);
    await owner.call(removeMember, { params: { memberID: id } });
    expect(await outcomeOf(session(whoami))).toBe("ERR_UNAUTHORIZED");
    for (const person of [ada, { ...ada, email: "ada.king@example.com" }])
      expect(await errorsOf(signIn(person))).toEqual([
        {
          code: "ERR_OIDC_NOT_ALLOWED",
          message: "this account was removed from the organization; ask an owner to readmit it",
        },
      ]);
    const removed = await memberNamed(ada.email);
    expect(removed).toMatchObject({ id, kind: "oidcUser", removedAt: expect.any(String) });
    expect(await errorCodesOf(owner.call(removeMember, { params: { memberID: id } }))).toEqual([
      "ERR_NOT_FOUND",
    ]);

    const readmitted = await owner.call(readmitMember, { params: { memberID: id } });
    expect(readmitted).toMatchObject({ id, removedAt: null });
    expect(await outcomeOf(session(whoami))).toBe("ERR_UNAUTHORIZED");
    const actor = (await (await signIn(ada))(whoami)).actor;
    expect(actor.id).toBe(id);
    expect(await errorCodesOf(owner.call(readmitMember, { params: { memberID: id } }))).toEqual([
      "ERR_INVALID_VALUE",
    ]);
    const { data } = await owner.call(listAuditLogs, { query: { "filter.targetID": id } });
    const changes = data.filter(({ actor }) => actor.type === "user").map(({ event }) => event.type);
    expect(changes).toEqual(["UPDATED", "DELETED"]);
  });

  it("cannot use a session that was still open after the removal", async () => {
    await configure();
    const session = await signIn(ada);
    const { id } = await memberNamed(ada.email);
    await server.query("update oidc_users set removed_at = now() where id = $1", [id]);
    expect(await outcomeOf(session(whoami))).toBe("ERR_UNAUTHORIZED");
  });

  it("is removed from one organization only, and stays removed when the provider is set up again", async () => {
    await configure();
    await signIn(ada);
    const { id } = await memberNamed(ada.email);
    await owner.call(removeMember, { params: { memberID: id } });
    await configure({ clientID: "lightkeeper", name: "Again" });
    expect(await errorCodesOf(signIn(ada))).toEqual(["ERR_OIDC_NOT_ALLOWED"]);
    const first = owner;
    owner = await server.signUp();
    await configure();
    await (
      await signIn(ada)
    )(whoami);
    expect(await errorCodesOf(owner.call(readmitMember, { params: { memberID: id } }))).toEqual([
      "ERR_NOT_FOUND",
    ]);
    owner = first;
  });

  it("has no session left after signing in and being removed at the same time", async () => {
    await configure();
    await signIn(ada);
    const { id } = await memberNamed(ada.email);
    const sessions = Array.from({ length: 5 }, () => signIn(ada).catch(() => undefined));
    await owner.call(removeMember, { params: { memberID: id } });
    const started = (await Promise.all(sessions)).filter((session) => session !== undefined);
    const outcomes = await Promise.all(started.map((session) => outcomeOf(session(whoami))));
    expect(outcomes.filter((outcome) => outcome !== "ERR_UNAUTHORIZED")).toEqual([]);
  });

  it("is readmitted only by an owner with a recent second factor, never by someone signed in by single sign-on", async () => {
    await configure();
    const colleague = await signIn({ ...ada, sub: "eve", email: "eve@example.com" });
    await signIn(ada);
    const { id } = await memberNamed(ada.email);
    await owner.call(removeMember, { params: { memberID: id } });
    const params = { memberID: id };
    expect(await errorCodesOf(colleague(readmitMember, { params }))).toEqual(["ERR_FORBIDDEN"]);
    server.advance(HOUR_MS + 1000);
    expect(await errorCodesOf(owner.call(readmitMember, { params }))).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    await (await renew(server, owner)).call(readmitMember, { params });
  });
});

describe("a provider from before the upgrade", () => {
  it("still accepts people without email_verified, as administrators", async () => {
    const database = await createTestDatabase({ empty: true });
    try {
      await withConnection(database.url, (db) => migrate(db, { through: "0013_notices" }));
      await withConnection(database.url, async (db) => {
        await db
          .insertInto("organizations")
          .values({ id: "org-A", name: "A", plan: "free", wanted_plan: null, created_at: new Date() })
          .execute();
        await db
          .insertInto("oidc_providers")
          .values({
            organization_id: "org-A",
            id: "oidc-A",
            name: "",
            issuer_url: "https://issuer.example",
            client_id: "client",
            client_secret: Buffer.alloc(1),
            allowed_domains: ["example.com"],
            endpoint_tags: [],
            endpoint_valid_days: 30,
            created_at: new Date(),
            modified_at: new Date(),
          } as never)
          .execute();
        await migrate(db);
        const row = await db.selectFrom("oidc_providers").selectAll().executeTakeFirstOrThrow();
        expect(row).toMatchObject({ trusts_emails: true, default_role: "administrator" });
        expect(row.endpoint_requires_approval).toBe(false);
      });
    } finally {
      await database.drop();
    }
  });
});
