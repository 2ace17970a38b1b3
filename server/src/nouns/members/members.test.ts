import {
  createApiKey,
  createNetwork,
  inviteMember,
  listAuditLogs,
  listMembers,
  listNetworks,
  listSessions,
  type MemberRole,
  removeMember,
  revokeSession,
  rotateApiKey,
  sendMagicLink,
  signup,
  updateMember,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptNewestInvitation, joinAs, newInvitedEmail } from "../../testing/members.ts";
import { errorsOf, errorCodesOf } from "../../testing/request-errors.ts";
import { insertSsoUser } from "../../testing/sso-users.ts";
import {
  DAY_MS,
  HOUR_MS,
  renew,
  type Session,
  startTestServer,
  type TestServer,
} from "../../testing/server.ts";
import { logInByLink } from "../../testing/logins.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
});
beforeAll(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

const invite = (role: MemberRole, email = newInvitedEmail(), by = owner) =>
  by.call(inviteMember, { body: { email, role } });
const join = (role: MemberRole) => joinAs(server, owner, role);

describe("an invitation", () => {
  it("is mailed with a link, and creates a member when it is accepted", async () => {
    const invited = await invite("administrator");
    expect(invited).toMatchObject({ kind: "invitation", role: "administrator" });
    await server.app.outbox.drain();
    const mail = server.mails.find(({ to }) => to === invited.email);
    expect(mail?.text).toContain(
      `${owner.email} invited you to join the organization example.com as an administrator.`,
    );
    expect(mail?.text).toContain(`/auth/invitation?email=${encodeURIComponent(invited.email)}`);
    const { call } = await acceptNewestInvitation(server, invited.email);
    const { actor, organization } = await call(whoami);
    expect(organization.id).toBe(owner.organizationID);
    expect(actor).toMatchObject({ type: "user", role: "administrator", email: invited.email });
    const { data } = await owner.call(listMembers);
    const here = data.filter(({ email }) => email === invited.email);
    expect(here.map(({ kind }) => kind)).toEqual(["user"]);
  });

  it("allows its address to sign up where sign-up is closed", async () => {
    const closed = await startTestServer({ database: server.database, environment: { SIGNUP: "closed" } });
    const { email } = await invite("auditor");
    expect(await errorCodesOf(closed.client()(signup, { body: { email: newInvitedEmail() } }))).toEqual([
      "ERR_FORBIDDEN",
    ]);
    const { call } = await acceptNewestInvitation(closed, email);
    expect((await call(whoami)).actor).toMatchObject({ role: "auditor" });
    await closed.close();
  });

  it("expires after seven days, and can be withdrawn", async () => {
    const [late, withdrawn] = [await invite("auditor"), await invite("auditor")];
    await owner.call(removeMember, { params: { memberID: withdrawn.id } });
    await server.client()(sendMagicLink, { body: { email: withdrawn.email } });
    await expect(server.linkToken(withdrawn.email)).rejects.toThrow("No link");
    server.advance(7 * DAY_MS + 1);
    await server.client()(sendMagicLink, { body: { email: late.email } });
    await expect(server.linkToken(late.email)).rejects.toThrow("No link");
    owner = { ...owner, ...(await renew(server, owner)) };
  });

  it("is replaced by a later invitation for the same address", async () => {
    const first = await invite("auditor");
    const second = await invite("administrator", first.email);
    const { data } = await owner.call(listMembers);
    expect(data.filter(({ email }) => email === first.email)).toEqual([second]);
  });

  it("is rejected for a member, for an invalid address, and from a member who is not an owner", async () => {
    expect((await errorsOf(invite("auditor", owner.email)))[0]).toMatchObject({
      code: "ERR_DUPLICATE_VALUE",
      path: "email",
    });
    expect(await errorCodesOf(invite("auditor", "nobody"))).toEqual(["ERR_INVALID_EMAIL"]);
    const { call } = await join("administrator");
    expect(
      await errorCodesOf(call(inviteMember, { body: { email: newInvitedEmail(), role: "auditor" } })),
    ).toEqual(["ERR_FORBIDDEN"]);
  });

  it("does not reveal an account in another organization, and does not change it", async () => {
    const other = await server.signUp();
    expect(await invite("owner", other.email)).toMatchObject({ kind: "invitation" });
    const sessionToken = await logInByLink(server, other.email);
    const { organization } = await server.client(sessionToken)(whoami);
    expect(organization.id).toBe(other.organizationID);
  });
});

describe("a member", () => {
  it("who is an auditor can read everything and change nothing", async () => {
    const { call } = await join("auditor");
    await call(listNetworks);
    expect((await call(listAuditLogs)).data.length).toBeGreaterThan(0);
    expect((await errorsOf(call(createNetwork, { body: { name: "Refused" } })))[0]).toMatchObject({
      code: "ERR_FORBIDDEN",
      message: "this requires the role administrator; yours is auditor",
    });
  });

  it("gets another role immediately, without logging in again", async () => {
    const { call, userID: id } = await join("auditor");
    await owner.call(updateMember, { params: { memberID: id }, body: { role: "administrator" } });
    await call(createNetwork, { body: { name: `Allowed ${id}` } });
    await owner.call(updateMember, { params: { memberID: id }, body: { role: "auditor" } });
    expect(await errorCodesOf(call(createNetwork, { body: { name: "Refused" } }))).toEqual(["ERR_FORBIDDEN"]);
  });

  it("who is removed is logged out immediately", async () => {
    const { call, userID: id, email } = await join("administrator");
    await owner.call(removeMember, { params: { memberID: id } });
    expect(await errorCodesOf(call(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    const [entry] = (await owner.call(listAuditLogs, { query: { "filter.targetID": id } })).data;
    expect(entry?.event).toMatchObject({ type: "DELETED", before: { email, role: "administrator" } });
  });

  it("who uses single sign-on is listed, keeps the role of the provider, and can be removed", async () => {
    const token = await insertSsoUser(server, owner);
    const { actor } = await server.client(token)(whoami);
    const members = (await owner.call(listMembers, { query: { pageSize: 500 } })).data;
    const member = members.find(({ id }) => id === actor.id);
    expect(member).toMatchObject({ kind: "oidcUser", role: "administrator" });
    const change = owner.call(updateMember, { params: { memberID: actor.id }, body: { role: "owner" } });
    expect((await errorsOf(change))[0]).toMatchObject({ code: "ERR_INVALID_VALUE", path: "role" });
    await owner.call(removeMember, { params: { memberID: actor.id } });
    expect(await errorCodesOf(server.client(token)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
  });

  it("who is the last owner stays an owner, also with concurrent requests", async () => {
    const alone = await server.signUp();
    const target = { params: { memberID: alone.userID } };
    const stepDown = alone.call(updateMember, { ...target, body: { role: "auditor" } });
    expect(await errorCodesOf(stepDown)).toEqual(["ERR_INVALID_VALUE"]);
    expect(await errorCodesOf(alone.call(removeMember, target))).toEqual(["ERR_INVALID_VALUE"]);
    const { email } = await invite("owner", newInvitedEmail(), alone);
    const { call: second, userID: id } = await acceptNewestInvitation(server, email);
    const both = await Promise.allSettled([
      alone.call(updateMember, { params: { memberID: id }, body: { role: "auditor" } }),
      second(updateMember, { ...target, body: { role: "auditor" } }),
    ]);
    expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("of another organization is not found", async () => {
    const other = await server.signUp();
    const foreign = { params: { memberID: owner.userID } };
    expect(await errorCodesOf(other.call(removeMember, foreign))).toEqual(["ERR_NOT_FOUND"]);
    expect(await errorCodesOf(other.call(updateMember, { ...foreign, body: { role: "auditor" } }))).toEqual([
      "ERR_NOT_FOUND",
    ]);
  });

  it("needs a second factor from the last hour to change members", async () => {
    const late = await server.signUp();
    server.advance(HOUR_MS + 1);
    expect(await errorCodesOf(invite("auditor", newInvitedEmail(), late))).toEqual([
      "ERR_2FA_RENEWAL_REQUIRED",
    ]);
    owner = { ...owner, ...(await renew(server, owner)) };
  });
});

describe("sessions", () => {
  it("are listed with their address and browser, and can be revoked one by one", async () => {
    const { email, call } = await server.signUp();
    const otherToken = await logInByLink(server, email);
    const sessions = await call(listSessions);
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    expect(sessions[0]).toMatchObject({ address: "127.0.0.1", userAgent: expect.any(String) });
    const there = sessions.find(({ isCurrent }) => !isCurrent);
    await call(revokeSession, { params: { sessionID: there?.id ?? "" } });
    expect(await errorCodesOf(server.client(otherToken)(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    const stranger = await server.signUp();
    const mine = (await call(listSessions))[0]?.id ?? "";
    expect(await errorCodesOf(stranger.call(revokeSession, { params: { sessionID: mine } }))).toEqual([
      "ERR_NOT_FOUND",
    ]);
  });
});

describe("rotating an API key", () => {
  it("returns a new token, and keeps the old token valid for the requested time", async () => {
    const { call } = await server.signUp();
    const key = await call(createApiKey, { body: { name: "Terraform", scopes: ["networks:list"] } });
    const rotate = (overlapSeconds: number) =>
      call(rotateApiKey, { params: { apiKeyID: key.id }, body: { overlapSeconds } });
    const rotated = await rotate(600);
    expect(rotated.id).toBe(key.id);
    expect(rotated.token).not.toBe(key.token);
    for (const token of [key.token, rotated.token]) await server.client(token)(listNetworks);
    server.advance(600_001);
    expect(await errorCodesOf(server.client(key.token)(listNetworks))).toEqual(["ERR_UNAUTHORIZED"]);
    await server.client(rotated.token)(listNetworks);
    const last = await rotate(0);
    expect(await errorCodesOf(server.client(rotated.token)(listNetworks))).toEqual(["ERR_UNAUTHORIZED"]);
    await server.client(last.token)(listNetworks);
    expect(await errorCodesOf(rotate(-1))).toEqual(["ERR_INVALID_VALUE"]);
  });
});
