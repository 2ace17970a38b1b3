/** Endpoints for invited people. Those for the inviting organization are in members.ts. */
import * as z from "zod/mini";
import { access, data, endpoint } from "./endpoint.ts";
import { Empty, id, instant, token } from "./fields.ts";
import { memberRoles } from "./member-roles.ts";

const noun = "invitations";

const role = z.enum(memberRoles);

export const Invitation = z.strictObject({
  id: id("invite"),
  organizationName: z.string(),
  /** The inviter's email address; null for invitations sent before this was recorded. */
  invitedBy: z.nullable(z.string()),
  role,
  expiresAt: instant(),
});
export type Invitation = z.output<typeof Invitation>;

const magicLinkToken = token();
const linkErrors = ["ERR_INVALID_MAGIC_LINK_TOKEN", "ERR_TOO_MANY_REQUESTS"] as const;

export const listInvitations = endpoint({
  method: "GET",
  path: "/v1/invitations",
  noun,
  summary: "List the open invitations for your email address",
  access: access.ownUser,
  response: data(z.array(Invitation)),
});

export const declineInvitation = endpoint({
  method: "DELETE",
  path: "/v1/invitations/{invitationID}",
  noun,
  summary: "Decline an invitation for your email address",
  access: access.ownUser,
  response: data(Empty),
});

export const listInvitationsByLink = endpoint({
  method: "POST",
  path: "/v1/auth/invitations",
  noun,
  summary: "List the open invitations for the email address that a magic link was sent to",
  access: access.public,
  body: z.strictObject({ magicLinkToken }),
  response: data(
    z.strictObject({
      email: z.string(),
      invitations: z.array(Invitation),
      /** Whether the person may sign up with a new organization instead. */
      canCreateOrganization: z.boolean(),
    }),
  ),
  errors: [...linkErrors, "ERR_ALREADY_MEMBER"],
});

export const acceptInvitation = endpoint({
  method: "POST",
  path: "/v1/auth/invitations/{invitationID}/accept",
  noun,
  summary: "Accept an invitation; creates the account and invalidates the magic link",
  access: access.public,
  /** `role` is the role that the person has seen: accepting fails if it was changed since. */
  body: z.strictObject({ magicLinkToken, role }),
  response: data(z.strictObject({ sessionToken: z.string() })),
  errors: [...linkErrors, "ERR_ALREADY_MEMBER"],
});

export const declineInvitationByLink = endpoint({
  method: "POST",
  path: "/v1/auth/invitations/{invitationID}/decline",
  noun,
  summary: "Decline an invitation; the magic link stays valid",
  access: access.public,
  body: z.strictObject({ magicLinkToken }),
  response: data(Empty),
  errors: linkErrors,
});

export const createOwnOrganization = endpoint({
  method: "POST",
  path: "/v1/auth/create-organization",
  noun,
  summary: "Sign up with a new organization instead of accepting an invitation",
  access: access.public,
  body: z.strictObject({ magicLinkToken }),
  response: data(z.strictObject({ sessionToken: z.string() })),
  errors: [...linkErrors, "ERR_ALREADY_MEMBER", "ERR_FORBIDDEN"],
});
