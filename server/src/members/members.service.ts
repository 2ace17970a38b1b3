import type { MemberRole } from "@lightkeeper/contract";
import type { Selectable } from "kysely";
import type { Context } from "../context.ts";
import { newId } from "../crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../db/audited.ts";
import type { Writer } from "../db/client.ts";
import type { Tables } from "../db/tables.ts";
import { ApiError } from "../http/api-error.ts";
import { auditActor, type User } from "../http/credentials.ts";
import { announce } from "../live/announce.ts";
import { holdOrganization } from "../organizations/held-organization.service.ts";
import { findMember } from "./members.queries.ts";

export type MemberRow = Selectable<Tables["members"]>;

const INVITATION_DAYS = 7;
const DAY_MS = 86_400_000;

const auditMember = ({ kind, email, role }: MemberRow) => ({
  email,
  role,
  ...(kind === "invitation" && { invited: true }),
});

const entry = (
  person: User,
  id: string,
  change: Pick<AuditEntry, "event" | "before" | "after">,
): AuditEntry => ({
  organizationID: person.organization.id,
  actor: auditActor(person),
  target: { type: "user", id },
  ...change,
});

export async function inviteMember(
  ctx: Context,
  tx: Writer,
  { person, email, role, now }: { person: User; email: string; role: MemberRole; now: Date },
): Promise<Outcome<MemberRow>> {
  const organizationID = person.organization.id;
  await holdOrganization(tx, organizationID);
  const isMember = await tx
    .selectFrom("users")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("email", "=", email)
    .executeTakeFirst();
  if (isMember) throw new ApiError("ERR_DUPLICATE_VALUE", { path: "email", message: "is a member already" });
  const invitation = {
    id: newId("invite"),
    organization_id: organizationID,
    email,
    role,
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_DAYS * DAY_MS),
  };
  await tx
    .deleteFrom("invitations")
    .where("organization_id", "=", organizationID)
    .where("email", "=", email)
    .execute();
  await tx.insertInto("invitations").values(invitation).execute();
  await tx
    .insertInto("mail_jobs")
    .values({
      kind: "invitation",
      email,
      plan: null,
      content: JSON.stringify(invitationContent(ctx, person, { email, role })),
      next_attempt_at: now,
      created_at: now,
    })
    .execute();
  const row: MemberRow = { ...invitation, kind: "invitation" };
  return done(row, entry(person, row.id, { event: "CREATED", before: null, after: auditMember(row) }));
}

function invitationContent(
  ctx: Context,
  { email: inviter, organization }: User,
  { email, role }: { email: string; role: MemberRole },
) {
  const logIn = `${ctx.config.appURL}/auth/login?email=${encodeURIComponent(email)}`;
  return {
    subject: `You are invited to ${organization.name} on Lightkeeper`,
    lines: [
      `${inviter} invites you to the organization ${organization.name}, with the role ${role}.`,
      `Log in with this e-mail address to accept: ${logIn}`,
      `The invitation holds for ${INVITATION_DAYS} days. An address that has an account of its own already cannot join another organization: ask for an invitation to another address.`,
    ],
  };
}

export async function updateMember(
  tx: Writer,
  { person, id, role }: { person: User; id: string; role: MemberRole },
): Promise<Outcome<MemberRow>> {
  const before = await getLocked(tx, person, id);
  if (before.kind === "oidcUser")
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "role",
      message: "comes from the identity provider with every sign-in",
    });
  if (before.role === "owner" && role !== "owner") await refuseLastOwner(tx, before, "role");
  await tx
    .updateTable(before.kind === "user" ? "users" : "invitations")
    .set({ role })
    .where("organization_id", "=", person.organization.id)
    .where("id", "=", id)
    .execute();
  const after = { ...before, role };
  return done(
    after,
    entry(person, id, { event: "UPDATED", before: auditMember(before), after: auditMember(after) }),
  );
}

const tableOf = { user: "users", oidcUser: "oidc_users", invitation: "invitations" } as const;

export async function removeMember(
  tx: Writer,
  { person, id }: { person: User; id: string },
): Promise<Outcome<Record<string, never>>> {
  const member = await getLocked(tx, person, id);
  await refuseLastOwner(tx, member);
  const sessions = await sessionsOf(tx, member);
  await tx
    .deleteFrom(tableOf[member.kind])
    .where("organization_id", "=", person.organization.id)
    .where("id", "=", id)
    .execute();
  const ended = sessions.map((session) => ({
    organizationID: person.organization.id,
    noun: "sessions",
    id: session.id,
  }));
  if (ended.length > 0) await announce(tx, ...ended);
  return done({}, entry(person, id, { event: "DELETED", before: auditMember(member), after: null }));
}

async function sessionsOf(tx: Writer, { kind, id }: MemberRow): Promise<{ id: string }[]> {
  if (kind === "invitation") return [];
  if (kind === "user") return tx.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
  return tx.selectFrom("oidc_sessions").select("id").where("oidc_user_id", "=", id).execute();
}

async function getLocked(tx: Writer, person: User, id: string): Promise<MemberRow> {
  // One change of members at a time: two owners cannot both step down.
  await holdOrganization(tx, person.organization.id);
  const row = await findMember(tx, person.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

async function refuseLastOwner(tx: Writer, { kind, role, id, organization_id }: MemberRow, path?: string) {
  if (kind !== "user" || role !== "owner") return;
  const other = await tx
    .selectFrom("users")
    .select("id")
    .where("organization_id", "=", organization_id)
    .where("role", "=", "owner")
    .where("id", "!=", id)
    .limit(1)
    .executeTakeFirst();
  if (!other)
    throw new ApiError("ERR_INVALID_VALUE", {
      ...(path !== undefined && { path }),
      message: "an organization needs an owner: make somebody else one first",
    });
}
