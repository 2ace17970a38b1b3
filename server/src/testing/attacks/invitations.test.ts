import { listInvitations, removeMember, signup, updateOrganization, whoami } from "@lightkeeper/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acceptNewestInvitation, invitationCalls, newInvitedEmail } from "../members.ts";
import { startProvider } from "../oidc-provider.ts";
import { PRODUCTION } from "../production.ts";
import { outcomeOf, errorCodesOf } from "../request-errors.ts";
import { MINUTE_MS, renew, type Session, startTestServer, type TestServer } from "../server.ts";
import { requestLink } from "../logins.ts";
import { configureSso, signInWithSso } from "../sso-sign-in.ts";

let server: TestServer;
let owner: Session;
let calls: ReturnType<typeof invitationCalls>;
beforeAll(async () => {
  server = await startTestServer({ environment: { OIDC_ALLOWED_HOSTS: "127.0.0.1" } });
  calls = invitationCalls(server);
});
beforeEach(async () => {
  owner = await server.signUp();
});
afterAll(() => server.close());

describe("an invited email address", () => {
  it("doesn't become a member by a login link, which stays valid for accepting the invitation", async () => {
    const { email, id, link } = await calls.invited(owner, "administrator");
    expect(await errorCodesOf(calls.verify(link))).toEqual(["ERR_INVITATION_PENDING"]);
    expect(await errorCodesOf(calls.verify(link))).toEqual(["ERR_INVITATION_PENDING"]);
    expect(await calls.usersOf(email)).toEqual([]);
    expect((await calls.membersOf(owner, email)).map(({ kind }) => kind)).toEqual(["invitation"]);
    const { sessionToken } = await calls.accept(id, link, "administrator");
    expect((await server.client(sessionToken)(whoami)).organization.id).toBe(owner.organizationID);
  });

  it("doesn't become a member by sign-up, and gets no organization of its own automatically", async () => {
    const { email } = await calls.invite(owner, "owner");
    await server.client()(signup, { body: { email } });
    expect(await errorCodesOf(calls.verify(await server.linkToken(email)))).toEqual([
      "ERR_INVITATION_PENDING",
    ]);
    expect(await calls.usersOf(email)).toEqual([]);
  });

  it("doesn't become a member by a sign-up link from before the invitation", async () => {
    const email = newInvitedEmail();
    await server.client()(signup, { body: { email } });
    const link = await server.linkToken(email);
    await calls.invite(owner, "owner", email);
    expect(await errorCodesOf(calls.verify(link))).toEqual(["ERR_INVITATION_PENDING"]);
    expect(await calls.usersOf(email)).toEqual([]);
  });

  it("can use single sign-on of that organization, and the invitation stays open", async () => {
    const provider = await startProvider();
    try {
      await configureSso(owner, provider, { defaultRole: "auditor" });
      const { email } = await calls.invite(owner, "owner");
      const { organizationID } = owner;
      const person = { sub: "invited", email, email_verified: true };
      const authToken = await signInWithSso(server, provider, { organizationID, person });
      const { actor } = await server.client(authToken)(whoami);
      expect(actor).toMatchObject({ type: "oidcUser", email });
      expect(actor).not.toMatchObject({ role: "owner" });
      expect((await calls.membersOf(owner, email)).map(({ kind }) => kind).sort()).toEqual([
        "invitation",
        "oidcUser",
      ]);
      // An address confirmed only by an identity provider isn't verified by this server.
      expect(await errorCodesOf(server.client(authToken)(listInvitations))).toEqual(["ERR_FORBIDDEN"]);
      const session = await acceptNewestInvitation(server, email);
      expect((await session.call(whoami)).actor).toMatchObject({ type: "user", role: "owner" });
    } finally {
      await provider.close();
    }
  });

  it("with an account in another organization still logs in there, and sees the invitation", async () => {
    const other = await server.signUp();
    const { id, expiresAt } = await calls.invite(owner, "owner", other.email);
    const { sessionToken } = await calls.verify(await requestLink(server, other.email));
    expect((await server.client(sessionToken)(whoami)).organization.id).toBe(other.organizationID);
    const invitedBy = owner.email;
    expect(await other.call(listInvitations)).toEqual([
      { id, organizationName: "example.com", invitedBy, role: "owner", expiresAt },
    ]);
    const link = await requestLink(server, other.email);
    expect(await errorCodesOf(calls.list(link))).toEqual(["ERR_ALREADY_MEMBER"]);
    expect(await errorCodesOf(calls.accept(id, link, "owner"))).toEqual(["ERR_ALREADY_MEMBER"]);
    expect(await errorCodesOf(calls.createOwn(link))).toEqual(["ERR_ALREADY_MEMBER"]);
    expect((await other.call(whoami)).organization.id).toBe(other.organizationID);
  });
});

describe("the list of invitations", () => {
  it("has every inviting organization with inviter, role and expiry, newest first", async () => {
    const { email, id } = await calls.invite(owner, "auditor");
    server.advance(MINUTE_MS);
    const other = await renew(server, await server.signUp());
    await other.call(updateOrganization, {
      params: { organizationID: other.organizationID },
      body: { name: "Harbor" },
    });
    const second = await calls.invite(other, "owner", email);
    const link = await requestLink(server, email);
    expect(await calls.list(link)).toEqual({
      email,
      invitations: [
        {
          id: second.id,
          organizationName: "Harbor",
          invitedBy: other.email,
          role: "owner",
          expiresAt: second.expiresAt,
        },
        expect.objectContaining({
          id,
          organizationName: "example.com",
          invitedBy: owner.email,
          role: "auditor",
        }),
      ],
      canCreateOrganization: true,
    });
    const { sessionToken } = await calls.accept(id, link);
    expect((await server.client(sessionToken)(whoami)).organization.id).toBe(owner.organizationID);
    // The other invitation stays: the account must leave its organization to accept it.
    const session = await server.registerFactor(email, sessionToken);
    expect(await session.call(listInvitations)).toMatchObject([{ id: second.id }]);
  });

  it("allows creating a new organization if sign-up is open", async () => {
    const { email, link } = await calls.invited(owner);
    const { sessionToken } = await calls.createOwn(link);
    const { actor, organization } = await server.client(sessionToken)(whoami);
    expect(actor).toMatchObject({ email, role: "owner" });
    expect(organization.id).not.toBe(owner.organizationID);
    expect((await calls.membersOf(owner, email)).map(({ kind }) => kind)).toEqual(["invitation"]);
  });

  it("doesn't allow creating a new organization if sign-up is closed", async () => {
    const closed = await startTestServer({ environment: { SIGNUP: "closed" }, database: server.database });
    try {
      const { email, link } = await calls.invited(owner);
      expect(await calls.list(link, closed.client())).toMatchObject({ canCreateOrganization: false });
      expect(await errorCodesOf(calls.createOwn(link, closed.client()))).toEqual(["ERR_FORBIDDEN"]);
      expect(await calls.usersOf(email)).toEqual([]);
    } finally {
      await closed.close();
    }
  });

  it("doesn't allow sign-up with the login link of an address that is no longer invited", async () => {
    const { id, link } = await calls.invited(owner);
    await owner.call(removeMember, { params: { memberID: id } });
    expect(await calls.list(link)).toMatchObject({ invitations: [], canCreateOrganization: false });
    expect(await errorCodesOf(calls.createOwn(link))).toEqual(["ERR_INVALID_MAGIC_LINK_TOKEN"]);
    expect(await errorCodesOf(calls.verify(link))).toEqual(["ERR_INVALID_MAGIC_LINK_TOKEN"]);
  });

  it("is limited by IP address", async () => {
    const limited = await startTestServer({
      environment: {
        ...PRODUCTION,
        APP_ENV: "alpha",
        SIGNUP: "open",
      },
    });
    try {
      const outcomes: string[] = [];
      for (let attempt = 0; attempt < 31; attempt++)
        outcomes.push(await outcomeOf(calls.list("wrong", limited.client())));
      expect(new Set(outcomes.slice(0, 30))).toEqual(new Set(["ERR_INVALID_MAGIC_LINK_TOKEN"]));
      expect(outcomes[30]).toBe("ERR_TOO_MANY_REQUESTS");
      expect(await errorCodesOf(calls.createOwn("wrong", limited.client()))).toEqual([
        "ERR_TOO_MANY_REQUESTS",
      ]);
    } finally {
      await limited.close();
    }
  });
});
