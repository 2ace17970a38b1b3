import * as z from "zod/mini";
import { access, data, endpoint, list, withRecentFactor } from "./endpoint.ts";
import { Empty, email, id, instant, pageQuery, query, replacement } from "./fields.ts";
import { memberRoles } from "./member-roles.ts";

const noun = "members";

const memberKinds = ["user", "oidcUser", "invitation"] as const;

/** A user, a person who signs in with single sign-on, or an open invitation. */
export const Member = z.strictObject({
  id: z.string(),
  kind: z.enum(memberKinds),
  email: z.string(),
  role: z.enum(memberRoles),
  createdAt: instant(),
  /** For invitations only. */
  expiresAt: z.nullable(instant()),
  /** When a person with single sign-on was removed; they can't sign in until they're readmitted. */
  removedAt: z.nullable(instant()),
  /** For invitations: the inviter's email address, if recorded. */
  invitedBy: z.nullable(z.string()),
});
export type Member = z.output<typeof Member>;

const role = z.enum(memberRoles);
export const MemberInvite = z.strictObject({ email: email(), role });
export const MemberUpdate = replacement({ role }, Member);

export const listMembers = endpoint({
  method: "GET",
  path: "/v1/members",
  noun,
  summary: "List the members of the organization and its open invitations",
  access: access.session,
  query: z.strictObject(pageQuery),
  response: list(Member),
});

export const inviteMember = endpoint({
  method: "POST",
  path: "/v1/members",
  noun,
  summary: "Invite a member by email; replaces an earlier invitation for the same address",
  access: withRecentFactor(access.owner),
  body: MemberInvite,
  response: data(Member),
  errors: ["ERR_INVALID_EMAIL", "ERR_DUPLICATE_VALUE", "ERR_TOO_MANY_REQUESTS"],
});

export const updateMember = endpoint({
  method: "PUT",
  path: "/v1/members/{memberID}",
  noun,
  summary: "Change a member's role; the only owner must stay an owner",
  access: withRecentFactor(access.owner),
  body: MemberUpdate,
  response: data(Member),
});

/** Whether the API keys that the person created are deleted too. */
const removalQuery = z.strictObject({ revokeAPIKeys: z._default(z.optional(query.flag()), false) });

export const removeMember = endpoint({
  method: "DELETE",
  path: "/v1/members/{memberID}",
  noun,
  summary: "Remove a member, who is logged out immediately, or withdraw an invitation",
  access: withRecentFactor(access.owner),
  query: removalQuery,
  response: data(Empty),
  errors: ["ERR_INVALID_VALUE"],
});

export const leaveOrganization = endpoint({
  method: "DELETE",
  path: "/v1/members/me",
  noun,
  summary: "Leave the organization; the only owner can't leave",
  access: withRecentFactor(access.own),
  query: removalQuery,
  response: data(Empty),
  errors: ["ERR_INVALID_VALUE"],
});

export const readmitMember = endpoint({
  method: "POST",
  path: "/v1/members/{memberID}/readmit",
  noun,
  summary: "Allow a removed member to sign in with single sign-on again",
  access: withRecentFactor(access.owner),
  response: data(Member),
  errors: ["ERR_INVALID_VALUE"],
});

export const Session = z.strictObject({
  id: id("session"),
  createdAt: instant(),
  lastUsedAt: instant(),
  /** The IP address at login. */
  address: z.nullable(z.string()),
  userAgent: z.nullable(z.string()),
  isCurrent: z.boolean(),
});
export type Session = z.output<typeof Session>;

const sessionNoun = "sessions";

export const listSessions = endpoint({
  method: "GET",
  path: "/v1/sessions",
  noun: sessionNoun,
  summary: "List your sessions, newest first",
  access: access.ownUser,
  response: data(z.array(Session)),
});

export const revokeSession = endpoint({
  method: "DELETE",
  path: "/v1/sessions/{sessionID}",
  noun: sessionNoun,
  summary: "End one of your sessions",
  access: access.ownUser,
  response: data(Empty),
});

export const revokeSessions = endpoint({
  method: "DELETE",
  path: "/v1/sessions",
  noun: sessionNoun,
  summary: "End all your sessions, including this one",
  access: access.ownUser,
  response: data(Empty),
});
