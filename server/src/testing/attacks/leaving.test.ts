import {
  inviteMember,
  leaveOrganization,
  listAuditLogs,
  listMembers,
  listNetworks,
  removeMember,
  updateMember,
  whoami,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acceptNewestInvitation, joinAs } from "../members.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../request-errors.ts";
import { insertSsoUser } from "../sso-users.ts";
import { HOUR_MS, MINUTE_MS, renew, type Session, startTestServer, type TestServer } from "../server.ts";
import { changeWhileWaiting } from "../waiting-requests.ts";
import { logInByLink } from "../logins.ts";

let server: TestServer;
let owner: Session;
beforeAll(async () => {
  server = await startTestServer();
});
beforeEach(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

describe("leaving an organization", () => {
  it("revokes all sessions of the member, adds an audit entry, and allows a new invitation", async () => {
    const person = await joinAs(server, owner, "auditor");
    const sessionToken = await logInByLink(server, person.email);
    expect(await person.call(leaveOrganization)).toEqual({});
    for (const call of [person.call, server.client(sessionToken)])
      expect(await errorCodesOf(call(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    const [entry] = (await owner.call(listAuditLogs, { query: { "filter.targetID": person.userID } })).data;
    expect(entry).toMatchObject({
      actor: { type: "user", id: person.userID, email: person.email },
      event: { type: "DELETED", before: { email: person.email, role: "auditor" }, after: null },
    });
    const other = await server.signUp();
    await other.call(inviteMember, { body: { email: person.email, role: "administrator" } });
    const again = await acceptNewestInvitation(server, person.email);
    expect(again.organizationID).toBe(other.organizationID);
    expect(again.userID).not.toBe(person.userID);
  });

  it("is rejected for the only owner, until there is another owner", async () => {
    const rejected = [
      { code: "ERR_INVALID_VALUE", message: "this is the only owner: make someone else an owner first" },
    ];
    await joinAs(server, owner, "administrator");
    expect(await errorsOf(owner.call(leaveOrganization))).toEqual(rejected);
    expect(await errorsOf(owner.call(removeMember, { params: { memberID: owner.userID } }))).toEqual(
      rejected,
    );
    await joinAs(server, owner, "owner");
    expect(await owner.call(leaveOrganization)).toEqual({});
  });

  it("in parallel by the last two owners keeps one of them", async () => {
    const second = await joinAs(server, owner, "owner");
    const outcomes = await Promise.all([owner, second].map(({ call }) => outcomeOf(call(leaveOrganization))));
    expect(outcomes.sort()).toEqual(["ERR_INVALID_VALUE", "done"]);
  });

  it("needs a recent second factor", async () => {
    const person = await joinAs(server, owner, "administrator");
    server.advance(HOUR_MS + MINUTE_MS);
    expect(await errorCodesOf(person.call(leaveOrganization))).toEqual(["ERR_2FA_RENEWAL_REQUIRED"]);
    await person.call(listNetworks);
    expect(await (await renew(server, person)).call(leaveOrganization)).toEqual({});
  });

  it("ends the membership of a single sign-on user", async () => {
    const call = server.client(await insertSsoUser(server, owner));
    const { actor } = await call(whoami);
    expect(await call(leaveOrganization)).toEqual({});
    expect(await errorCodesOf(call(whoami))).toEqual(["ERR_UNAUTHORIZED"]);
    expect((await owner.call(listMembers)).data.map(({ id }) => id)).not.toContain(actor.id);
  });

  it("is rejected without a session, and with a session without a second factor", async () => {
    expect(await errorCodesOf(server.client()(leaveOrganization))).toEqual(["ERR_UNAUTHORIZED"]);
    expect(await errorCodesOf(server.client(owner.userToken)(leaveOrganization))).toEqual([
      "ERR_2FA_REQUIRED",
    ]);
  });
});

it("a change of members is rejected if the owner was removed or lost the role while it waited", async () => {
  const first = await joinAs(server, owner, "owner");
  const params = { memberID: owner.userID };
  const removed = await changeWhileWaiting(server, owner.organizationID, {
    request: () => outcomeOf(first.call(removeMember, { params })),
    change: `delete from users where id = '${first.userID}'`,
  });
  expect(removed).toBe("ERR_UNAUTHORIZED");
  const second = await joinAs(server, owner, "owner");
  const changed = await changeWhileWaiting(server, owner.organizationID, {
    request: () => outcomeOf(second.call(updateMember, { params, body: { role: "auditor" } })),
    change: `update users set role = 'administrator' where id = '${second.userID}'`,
  });
  expect(changed).toBe("ERR_FORBIDDEN");
  expect((await owner.call(whoami)).actor).toMatchObject({ role: "owner" });
});
