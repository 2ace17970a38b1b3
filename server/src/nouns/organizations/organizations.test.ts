import {
  bulkHosts,
  createRoute,
  deleteOrganization,
  ForbiddenError,
  getFeatureFlags,
  listRoles,
  NotFoundError,
  sendMagicLink,
  signup,
  updateOrganization,
  updateTag,
  verifyMagicLink,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyChain } from "../audit/verify.ts";
import { createFleet } from "../../testing/fleet.ts";
import { joinAs } from "../../testing/members.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import {
  HOUR_MS,
  MINUTE_MS,
  renew,
  type Session,
  startTestServer,
  type TestServer,
} from "../../testing/server.ts";
import { setFeatureFlag } from "./organizations.service.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ frozen: true });
});
afterAll(() => server.close());

const remove = ({ call, organizationID }: Session) =>
  call(deleteOrganization, { params: { organizationID } });

describe("renaming the organization", () => {
  const renames = ({ organizationID }: Session) =>
    server.query(
      "select before, after from audit_logs where organization_id = $1 and event_type = 'UPDATED' and target_type = 'organization'",
      [organizationID],
    );

  it("takes effect immediately, and is audited", async () => {
    const { call, organizationID, userID } = await server.signUp();
    const renamed = await call(updateOrganization, {
      params: { organizationID },
      body: { name: " Harbour " },
    });
    expect(renamed).toEqual((await call(whoami)).organization);
    expect(renamed.name).toBe("Harbour");
    const [entry] = await server.query(
      "select actor ->> 'id' as actor, before, after from audit_logs where organization_id = $1 and event_type = 'UPDATED'",
      [organizationID],
    );
    expect(entry).toEqual({ actor: userID, before: { name: "example.com" }, after: { name: "Harbour" } });
  });

  it("requires a name, and works only for the user's own organization", async () => {
    const [session, stranger] = [await server.signUp(), await server.signUp()];
    const rename = (name: string, { call }: Session = session) =>
      call(updateOrganization, { params: { organizationID: session.organizationID }, body: { name } });
    for (const name of ["", " ", "x".repeat(256)])
      expect(await errorsOf(rename(name))).toMatchObject([
        { code: "ERR_INVALID_VALUE_LENGTH", path: "name" },
      ]);
    for (const name of ["two\nlines", "bell\u0007", "hidden\u200B", "turned\u202E"])
      expect(await errorsOf(rename(name))).toMatchObject([{ code: "ERR_INVALID_VALUE", path: "name" }]);
    await expect(rename("Mine", stranger)).rejects.toBeInstanceOf(NotFoundError);
    expect((await session.call(whoami)).organization.name).toBe("example.com");
    expect(await renames(session)).toEqual([]);
  });

  it("is allowed for owners and administrators", async () => {
    const owner = await server.signUp();
    const rename = (name: string, { call }: Session) =>
      call(updateOrganization, { params: { organizationID: owner.organizationID }, body: { name } });
    const auditor = await joinAs(server, owner, "auditor");
    await expect(rename("Audited", auditor)).rejects.toBeInstanceOf(ForbiddenError);
    expect((await auditor.call(whoami)).organization.name).toBe("example.com");
    const administrator = await joinAs(server, owner, "administrator");
    expect((await rename("Administered", administrator)).name).toBe("Administered");
    expect((await owner.call(whoami)).organization.name).toBe("Administered");
  });

  it("twice concurrently writes two consistent audit entries", async () => {
    const session = await server.signUp();
    const params = { organizationID: session.organizationID };
    await Promise.all(
      ["Harbor", "Lagoon"].map((name) => session.call(updateOrganization, { params, body: { name } })),
    );
    const { name: last } = (await session.call(whoami)).organization;
    const first = last === "Harbor" ? "Lagoon" : "Harbor";
    const entries = await renames(session);
    expect(entries).toHaveLength(2);
    expect(entries).toContainEqual({ before: { name: "example.com" }, after: { name: first } });
    expect(entries).toContainEqual({ before: { name: first }, after: { name: last } });
  });
});

describe("deleting the organization", () => {
  it("deletes everything except the audit log [S7.16]", async () => {
    const session = await server.signUp();
    const bystander = await server.signUp();
    const { add } = await createFleet(server, session);
    const router = await add({ tags: ["doomed:yes"], roleID: (await session.call(listRoles)).data[0]?.id });
    const route = await session.call(createRoute, { body: { name: "Doomed", routerHostID: router.id } });
    await session.call(updateTag, {
      params: { tag: "doomed:yes" },
      body: { routeSubscriptions: [route.id] },
    });
    await session.call(bulkHosts, { body: { filter: {}, action: "unblock" } });
    await server.query("update organizations set plan = 'free' where id = $1", [session.organizationID]);
    await server.ctx.audited((tx) =>
      setFeatureFlag(tx, { organizationID: session.organizationID, name: "EXTRA", value: true }),
    );
    expect(await remove(session)).toEqual({});

    const tables = await server.query<{ name: string }>(
      "select table_name as name from information_schema.columns where column_name = 'organization_id' and table_schema = 'public'",
    );
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables.filter(({ name }) => !name.startsWith("audit_"))) {
      const left = await server.query(`select 1 from ${name} where organization_id = $1`, [
        session.organizationID,
      ]);
      expect([name, left]).toEqual([name, []]);
    }
    expect(await errorCodesOf(session.call(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    expect((await bystander.call(whoami)).organization.id).toBe(bystander.organizationID);
  });

  it("writes an audit entry that is included in the hash chain", async () => {
    const session = await server.signUp();
    await remove(session);
    while ((await server.ctx.seal()) > 0);
    const [last] = await server.query(
      `select actor, target_type, target_id, event_type, before, after from audit_logs
       where organization_id = $1 order by sequence desc limit 1`,
      [session.organizationID],
    );
    expect(last).toEqual({
      actor: { type: "user", id: session.userID, email: session.email },
      target_type: "organization",
      target_id: session.organizationID,
      event_type: "DELETED",
      before: { name: "example.com", plan: "free" },
      after: null,
    });
    expect(await verifyChain(server.ctx.reader, session.organizationID)).toMatchObject({
      ok: true,
      entries: 6,
    });
  });

  it("frees the address: the next sign-up creates another organization", async () => {
    const { email, organizationID, ...session } = await server.signUp();
    await remove({ ...session, email, organizationID });
    await server.app.outbox.drain();
    const mails = server.mails.length;
    await server.client()(sendMagicLink, { body: { email } });
    await server.app.outbox.drain();
    expect(server.mails).toHaveLength(mails);
    await server.client()(signup, { body: { email } });
    const body = { magicLinkToken: await server.linkToken(email) };
    const { sessionToken } = await server.client()(verifyMagicLink, { body });
    expect((await server.client(sessionToken)(whoami)).organization.id).not.toBe(organizationID);
  });

  it("requires a second factor from the last hour", async () => {
    const session = await server.signUp();
    server.advance(HOUR_MS + 1);
    expect(await errorsOf(remove(session))).toEqual([
      { code: "ERR_2FA_RENEWAL_REQUIRED", message: "authenticate again to continue" },
    ]);
    const renewed = await renew(server, session);
    server.advance(60 * MINUTE_MS);
    expect(await remove(renewed)).toEqual({});
  });

  it("is not possible on the pro plan [S8.15]", async () => {
    const session = await server.signUp();
    await server.query("update organizations set plan = 'pro' where id = $1", [session.organizationID]);
    expect(await errorsOf(remove(session))).toEqual([
      { code: "ERR_BILLING_INVALID_STATE", message: "not possible on the current plan" },
    ]);
    await server.query("update organizations set plan = 'selfHosted' where id = $1", [
      session.organizationID,
    ]);
    expect(await remove(session)).toEqual({});
  });

  it("is allowed only for the user's own organization", async () => {
    const [session, stranger] = [await server.signUp(), await server.signUp()];
    for (const organizationID of [session.organizationID, "org-AAAAAAAAAAAAAAAAAAAAAAAAAA"])
      await expect(remove({ ...stranger, organizationID })).rejects.toBeInstanceOf(NotFoundError);
    expect((await session.call(whoami)).organization.id).toBe(session.organizationID);
  });

  it("happens once with five concurrent requests", async () => {
    const session = await server.signUp();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => remove(session)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of results)
      if (result.status === "rejected") expect([401, 404]).toContain(result.reason.response.status);
  });
});

describe("feature flags", () => {
  it("are the defaults, overridden by the organization's own [S7.15] [S3.3]", async () => {
    const [session, other] = [await server.signUp(), await server.signUp()];
    expect(await session.call(getFeatureFlags)).toEqual({ LIST_CERT_AUTHORITIES: true });
    const set = (name: string, value: boolean) =>
      server.ctx.audited((tx) => setFeatureFlag(tx, { organizationID: session.organizationID, name, value }));
    await set("LIST_CERT_AUTHORITIES", false);
    await set("EXTRA", false);
    await set("EXTRA", true);
    expect(await session.call(getFeatureFlags)).toEqual({ LIST_CERT_AUTHORITIES: false, EXTRA: true });
    expect(await other.call(getFeatureFlags)).toEqual({ LIST_CERT_AUTHORITIES: true });
    const entries = await server.query(
      `select actor, before, after from audit_logs where organization_id = $1 and event_type = 'UPDATED' order by created_at`,
      [session.organizationID],
    );
    expect(entries.at(-1)).toEqual({
      actor: { type: "support" },
      before: { featureFlags: { EXTRA: false } },
      after: { featureFlags: { EXTRA: true } },
    });
  });

  it("come from the configuration", async () => {
    const configured = await startTestServer({ environment: { FEATURE_FLAGS: '{"A":true,"B":false}' } });
    try {
      const { call } = await configured.signUp();
      expect(await call(getFeatureFlags)).toEqual({ A: true, B: false });
    } finally {
      await configured.close();
    }
  });

  it("of an organization that does not exist are rejected", async () => {
    const set = server.ctx.audited((tx) =>
      setFeatureFlag(tx, { organizationID: "org-none", name: "A", value: true }),
    );
    await expect(set).rejects.toThrow("Organization org-none does not exist");
  });
});
