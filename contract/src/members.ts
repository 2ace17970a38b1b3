import * as z from "zod/mini";
import { access, data, endpoint, list, withRecentFactor } from "./endpoint.ts";
import { Empty, email, id, instant, pageQuery, query, replacement } from "./fields.ts";
import { memberRoles } from "./member-roles.ts";

const noun = "members";

const memberKinds = ["user", "oidcUser", "invitation"] as const;

/** Who is in the organization, by whichever door, and who has been asked to come. */
export const Member = z.strictObject({
  id: z.string(),
  kind: z.enum(memberKinds),
  email: z.string(),
  role: z.enum(memberRoles),
  createdAt: instant(),
  /** Of an invitation: until when it can be accepted. */
  expiresAt: z.nullable(instant()),
  /** When a person who signs in by single sign-on was removed; they stay out until they are readmitted. */
  removedAt: z.nullable(instant()),
  /** Of an invitation: the inviter's email address, where it was recorded. */
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
  summary: "List the people of the organization, and those who are invited",
  access: access.session,
  query: z.strictObject(pageQuery),
  answer: list(Member),
});

export const inviteMember = endpoint({
  method: "POST",
  path: "/v1/members",
  noun,
  summary: "Invite somebody by e-mail; an earlier invitation of the same address is replaced",
  access: withRecentFactor(access.owner),
  body: MemberInvite,
  answer: data(Member),
  errors: ["ERR_INVALID_EMAIL", "ERR_DUPLICATE_VALUE", "ERR_TOO_MANY_REQUESTS"],
});

export const updateMember = endpoint({
  method: "PUT",
  path: "/v1/members/{memberID}",
  noun,
  summary: "Give a member another role; the last owner stays one",
  access: withRecentFactor(access.owner),
  body: MemberUpdate,
  answer: data(Member),
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
  answer: data(Empty),
  errors: ["ERR_INVALID_VALUE"],
});

export const leaveOrganization = endpoint({
  method: "DELETE",
  path: "/v1/members/me",
  noun,
  summary: "Leave the organization; the only owner cannot",
  access: withRecentFactor(access.own),
  query: removalQuery,
  answer: data(Empty),
  errors: ["ERR_INVALID_VALUE"],
});

export const readmitMember = endpoint({
  method: "POST",
  path: "/v1/members/{memberID}/readmit",
  noun,
  summary: "Let a removed member sign in by single sign-on again",
  access: withRecentFactor(access.owner),
  answer: data(Member),
  errors: ["ERR_INVALID_VALUE"],
});

export const Session = z.strictObject({
  id: id("session"),
  createdAt: instant(),
  lastUsedAt: instant(),
  /** Where it was begun. */
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
  summary: "List where you are signed in, the latest first",
  access: access.ownUser,
  answer: data(z.array(Session)),
});

export const revokeSession = endpoint({
  method: "DELETE",
  path: "/v1/sessions/{sessionID}",
  noun: sessionNoun,
  summary: "Sign out somewhere",
  access: access.ownUser,
  answer: data(Empty),
});

export const revokeSessions = endpoint({
  method: "DELETE",
  path: "/v1/sessions",
  noun: sessionNoun,
  summary: "Log out everywhere: end all your sessions, this one included",
  access: access.ownUser,
  answer: data(Empty),
});
