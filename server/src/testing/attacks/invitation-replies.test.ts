import {
  declineInvitation,
  listAuditLogs,
  listInvitations,
  removeMember,
  updateMember,
} from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { invitationCalls, joinAs, newInvitedEmail } from "../members.ts";
import { outcomeOf, errorsOf, errorCodesOf } from "../request-errors.ts";
import { DAY_MS, MINUTE_MS, type Session, startTestServer, type TestServer } from "../server.ts";
import { changeWhileWaiting } from "../waiting-requests.ts";
import { requestLink } from "../logins.ts";

let server: TestServer;
let owner: Session;
let calls: ReturnType<typeof invitationCalls>;
beforeAll(async () => {
  server = await startTestServer();
  calls = invitationCalls(server);
});
beforeEach(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

const entriesOf = async (session: Session, targetID: string) =>
  (await session.call(listAuditLogs, { query: { "filter.targetID": targetID } })).data;

describe("accepting an invitation", () => {
  it("several times in parallel creates one account, and uses up the link", async () => {
    const { email, id, link } = await calls.invited(owner);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(calls.accept(id, link))));
    expect(outcomes.sort()).toEqual([...Array(7).fill("ERR_INVALID_MAGIC_LINK_TOKEN"), "done"]);
    expect(await calls.usersOf(email)).toHaveLength(1);
    expect((await calls.membersOf(owner, email)).map(({ kind }) => kind)).toEqual(["user"]);
  });

  it("and another invitation in parallel, each with its own link, joins one organization", async () => {
    const { email, id, link } = await calls.invited(owner);
    const other = await server.signUp();
    const second = await calls.invite(other, "auditor", email);
    const secondLink = await requestLink(server, email);
    const outcomes = await Promise.all([
      outcomeOf(calls.accept(id, link)),
      outcomeOf(calls.accept(second.id, secondLink)),
    ]);
    expect(outcomes.sort()).toEqual(["ERR_INVALID_MAGIC_LINK_TOKEN", "done"]);
    expect(await calls.usersOf(email)).toHaveLength(1);
  });

  it("and creating an organization in parallel never both succeed", async () => {
    const { email, id, link } = await calls.invited(owner);
    const outcomes = await Promise.all([outcomeOf(calls.accept(id, link)), outcomeOf(calls.createOwn(link))]);
    expect(outcomes.sort()).toEqual(["ERR_INVALID_MAGIC_LINK_TOKEN", "done"]);
    expect(await calls.usersOf(email)).toHaveLength(1);
  });

  it.each([
    ["withdrawn", (id: string) => `delete from invitations where id = '${id}'`, "ERR_NOT_FOUND"],
    [
      "changed to another role",
      (id: string) => `update invitations set role = 'owner' where id = '${id}'`,
      "ERR_INVALID_VALUE",
    ],
  ])("is rejected when the invitation was %s while the request waited", async (_, change, code) => {
    const { email, id, link } = await calls.invited(owner);
    const outcome = await changeWhileWaiting(server, owner.organizationID, {
      request: () => outcomeOf(calls.accept(id, link)),
      change: change(id),
    });
    expect(outcome).toBe(code);
    expect(await calls.usersOf(email)).toEqual([]);
  });

  it("and withdrawing it in parallel never both succeed", async () => {
    const { email, id, link } = await calls.invited(owner);
    const [accepted, withdrawn] = await Promise.all([
      outcomeOf(calls.accept(id, link)),
      outcomeOf(owner.call(removeMember, { params: { memberID: id } })),
    ]);
    expect([
      ["done", "ERR_NOT_FOUND"],
      ["ERR_NOT_FOUND", "done"],
    ]).toContainEqual([accepted, withdrawn]);
    expect(await calls.usersOf(email)).toHaveLength(accepted === "done" ? 1 : 0);
  });

  it("is rejected once the invitation has expired, was withdrawn or was replaced", async () => {
    const withdrawn = await calls.invited(owner);
    await owner.call(removeMember, { params: { memberID: withdrawn.id } });
    expect(await errorCodesOf(calls.accept(withdrawn.id, withdrawn.link))).toEqual(["ERR_NOT_FOUND"]);
    const replaced = await calls.invited(owner);
    await calls.invite(owner, "auditor", replaced.email);
    expect(await errorCodesOf(calls.accept(replaced.id, replaced.link))).toEqual(["ERR_NOT_FOUND"]);
    const { email, id } = await calls.invite(owner, "auditor");
    server.advance(7 * DAY_MS - MINUTE_MS);
    const link = await requestLink(server, email);
    server.advance(2 * MINUTE_MS);
    expect(await calls.list(link)).toMatchObject({ invitations: [] });
    expect(await errorsOf(calls.accept(id, link))).toEqual([
      { code: "ERR_NOT_FOUND", message: "the invitation has expired" },
    ]);
    expect(await errorsOf(calls.decline(id, link))).toMatchObject([{ code: "ERR_NOT_FOUND" }]);
    expect(await calls.usersOf(email)).toEqual([]);
  });

  it("is rejected when the role has changed since it was shown", async () => {
    const { email, id, link } = await calls.invited(owner, "auditor");
    await owner.call(updateMember, { params: { memberID: id }, body: { role: "owner" } });
    expect(await errorsOf(calls.accept(id, link, "auditor"))).toEqual([
      { code: "ERR_INVALID_VALUE", path: "role", message: "the role of the invitation is now owner" },
    ]);
    expect(await calls.usersOf(email)).toEqual([]);
    await calls.accept(id, link, "owner");
    expect(await calls.membersOf(owner, email)).toMatchObject([{ kind: "user", role: "owner" }]);
  });

  it("works after the inviter was removed, and still shows their name", async () => {
    const inviter = await joinAs(server, owner, "owner");
    const { email, id } = await calls.invite(inviter, "auditor", newInvitedEmail());
    await owner.call(removeMember, { params: { memberID: inviter.userID } });
    const link = await requestLink(server, email);
    expect((await calls.list(link)).invitations).toMatchObject([{ id, invitedBy: inviter.email }]);
    expect(await calls.membersOf(owner, email)).toMatchObject([
      { kind: "invitation", invitedBy: inviter.email },
    ]);
    await calls.accept(id, link);
    const [member] = await calls.membersOf(owner, email);
    const [joined] = await entriesOf(owner, member?.id ?? "");
    expect((await entriesOf(owner, member?.id ?? "")).map(({ event }) => event)).toContainEqual({
      type: "CREATED",
      before: null,
      after: { email, role: "auditor", invitedBy: inviter.email },
    });
    expect(joined?.actor).toEqual({ type: "user", id: member?.id, email });
  });

  it("requires a valid link for the invited address", async () => {
    const theirs = await calls.invited(owner);
    const outsider = await calls.invited(owner);
    expect(await errorCodesOf(calls.accept(theirs.id, outsider.link))).toEqual(["ERR_NOT_FOUND"]);
    expect(await errorCodesOf(calls.decline(theirs.id, outsider.link))).toEqual(["ERR_NOT_FOUND"]);
    for (const link of ["", "wrong", "x".repeat(4096)])
      expect(await errorCodesOf(calls.accept(theirs.id, link))).toEqual(["ERR_INVALID_MAGIC_LINK_TOKEN"]);
    server.advance(15 * MINUTE_MS);
    expect(await errorCodesOf(calls.accept(theirs.id, theirs.link))).toEqual([
      "ERR_INVALID_MAGIC_LINK_TOKEN",
    ]);
    expect(await errorCodesOf(calls.list(theirs.link))).toEqual(["ERR_INVALID_MAGIC_LINK_TOKEN"]);
    expect(await calls.membersOf(owner, theirs.email)).toMatchObject([{ kind: "invitation" }]);
  });
});

describe("declining an invitation", () => {
  it("by link deletes it, with an audit entry for the inviting organization", async () => {
    const { email, id, link } = await calls.invited(owner);
    expect(await calls.decline(id, link)).toEqual({});
    expect(await calls.membersOf(owner, email)).toEqual([]);
    const [entry] = await entriesOf(owner, id);
    expect(entry).toMatchObject({
      actor: { type: "user", id, email },
      event: { type: "DELETED", before: { email, role: "auditor", invited: true }, after: null },
    });
    expect(await errorCodesOf(calls.decline(id, link))).toEqual(["ERR_NOT_FOUND"]);
    expect(await errorCodesOf(calls.accept(id, link))).toEqual(["ERR_NOT_FOUND"]);
  });

  it("while logged in is allowed only for the account's own address, and doesn't disclose the account", async () => {
    const other = await server.signUp();
    const { id } = await calls.invite(owner, "auditor", other.email);
    const params = { invitationID: id };
    expect(await errorCodesOf(owner.call(declineInvitation, { params }))).toEqual(["ERR_NOT_FOUND"]);
    expect(await other.call(declineInvitation, { params })).toEqual({});
    expect(await other.call(listInvitations)).toEqual([]);
    const [entry] = await entriesOf(owner, id);
    expect(entry?.actor).toEqual({ type: "user", id, email: other.email });
    expect(JSON.stringify(entry)).not.toContain(other.userID);
  });
});

it("sending an invitation is rejected if the owner was removed while the request waited", async () => {
  const inviter = await joinAs(server, owner, "owner");
  const email = newInvitedEmail();
  const outcome = await changeWhileWaiting(server, owner.organizationID, {
    request: () => outcomeOf(calls.invite(inviter, "owner", email)),
    change: `delete from users where id = '${inviter.userID}'`,
  });
  expect(outcome).toBe("ERR_UNAUTHORIZED");
  expect(await calls.membersOf(owner, email)).toEqual([]);
});
