/** Members who join by invitation, through the API. */
import {
  acceptInvitation,
  createOwnOrganization,
  declineInvitationByLink,
  inviteMember,
  listInvitationsByLink,
  listMembers,
  PAGE_SIZE_MAX,
  type MemberRole,
  verifyMagicLink,
} from "@lightkeeper/contract";
import type { Session, TestServer } from "./server.ts";
import { requestLink } from "./logins.ts";

let invitedCount = 0;
export const newInvitedEmail = () => `invited${++invitedCount}@example.com`;

/** Accepts the newest invitation of the address and registers a second factor. */
export async function acceptNewestInvitation(server: TestServer, email: string): Promise<Session> {
  const magicLinkToken = await requestLink(server, email);
  const { invitations } = await server.client()(listInvitationsByLink, { body: { magicLinkToken } });
  const [newest] = invitations;
  if (!newest) throw new Error(`${email} has no open invitation`);
  const { sessionToken } = await server.client()(acceptInvitation, {
    params: { invitationID: newest.id },
    body: { magicLinkToken, role: newest.role },
  });
  return server.registerFactor(email, sessionToken);
}

export async function joinAs(server: TestServer, inviter: Session, role: MemberRole): Promise<Session> {
  const { email } = await inviter.call(inviteMember, { body: { email: newInvitedEmail(), role } });
  return acceptNewestInvitation(server, email);
}

/** Requests of an invited person without an account. */
export function invitationCalls(server: TestServer) {
  const anonymous = server.client();
  const invite = (by: Session, role: MemberRole, email = newInvitedEmail()) =>
    by.call(inviteMember, { body: { email, role } });
  return {
    invite,
    /** Invites a new address and requests its magic link. */
    invited: async (by: Session, role: MemberRole = "auditor") => {
      const { email, id } = await invite(by, role);
      return { email, id, link: await requestLink(server, email) };
    },
    verify: (magicLinkToken: string) => anonymous(verifyMagicLink, { body: { magicLinkToken } }),
    list: (magicLinkToken: string, client = anonymous) =>
      client(listInvitationsByLink, { body: { magicLinkToken } }),
    accept: (invitationID: string, magicLinkToken: string, role: MemberRole = "auditor") =>
      anonymous(acceptInvitation, { params: { invitationID }, body: { magicLinkToken, role } }),
    decline: (invitationID: string, magicLinkToken: string) =>
      anonymous(declineInvitationByLink, { params: { invitationID }, body: { magicLinkToken } }),
    createOwn: (magicLinkToken: string, client = anonymous) =>
      client(createOwnOrganization, { body: { magicLinkToken } }),
    usersOf: (email: string) => server.query("select id from users where email = $1", [email]),
    membersOf: async (session: Session, email: string) =>
      (await session.call(listMembers, { query: { pageSize: PAGE_SIZE_MAX } })).data.filter(
        (member) => member.email === email,
      ),
  };
}
