import * as z from "zod/mini";
import { access, data, endpoint, list } from "./endpoint.ts";
import { Empty, email, id, instant, pageQuery, replacement } from "./fields.ts";
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
  access: access.freshOwner,
  body: MemberInvite,
  answer: data(Member),
  errors: ["ERR_INVALID_EMAIL", "ERR_DUPLICATE_VALUE", "ERR_TOO_MANY_REQUESTS"],
});

export const updateMember = endpoint({
  method: "PUT",
  path: "/v1/members/{memberID}",
  noun,
  summary: "Give a member another role; the last owner stays one",
  access: access.freshOwner,
  body: MemberUpdate,
  answer: data(Member),
});

export const removeMember = endpoint({
  method: "DELETE",
  path: "/v1/members/{memberID}",
  noun,
  summary: "Remove a member, who is signed out at once, or withdraw an invitation",
  access: access.freshOwner,
  answer: data(Empty),
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
