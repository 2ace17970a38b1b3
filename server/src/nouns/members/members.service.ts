import type { MemberRole } from "@lightkeeper/contract";
import type { Context } from "../../infrastructure/context/context.ts";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { auditActor, type Person, type User } from "../../infrastructure/http/actor.ts";
import { queueMail } from "../../features/mail/queue-mail.ts";
import { findMember } from "./members.queries.ts";
import { type MemberRow, requireMember } from "./membership.service.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";

const INVITATION_DAYS = 7;

export const auditMember = ({ kind, email, role }: MemberRow) => ({
  email,
  role,
  ...(kind === "invitation" && { invited: true }),
});

export const memberEntry = (
  person: Person,
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
  await lockOrganizationForNoKeyUpdate(tx, organizationID);
  await requireMember(tx, person, "owner");
  const isMember = await tx
    .selectFrom("users")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("email", "=", email)
    .executeTakeFirst();
  if (isMember) throw new ApiError("ERR_DUPLICATE_VALUE", { path: "email", message: "is already a member" });
  const invitation = {
    id: newId("invite"),
    organization_id: organizationID,
    email,
    role,
    invited_by_id: person.id,
    invited_by_email: person.email,
    created_at: now,
    expires_at: new Date(now.getTime() + INVITATION_DAYS * DAY_MS),
  };
  await tx
    .deleteFrom("invitations")
    .where("organization_id", "=", organizationID)
    .where("email", "=", email)
    .execute();
  await tx.insertInto("invitations").values(invitation).execute();
  const content = invitationContent(ctx, person, { email, role });
  await queueMail(tx, { kind: "invitation", email, content, now });
  const row: MemberRow = { ...invitation, kind: "invitation", removed_at: null };
  return done(row, memberEntry(person, row.id, { event: "CREATED", before: null, after: auditMember(row) }));
}

const roleNames: Record<MemberRole, string> = {
  owner: "an owner",
  administrator: "an administrator",
  auditor: "an auditor",
};

function invitationContent(
  ctx: Context,
  { email: inviter, organization }: User,
  { email, role }: { email: string; role: MemberRole },
) {
  const page = `${ctx.config.appURL}/auth/invitation?email=${encodeURIComponent(email)}`;
  return {
    subject: `${inviter} invited you to ${organization.name} on Lightkeeper`,
    lines: [
      `${inviter} invited you to join the organization ${organization.name} as ${roleNames[role]}.`,
      `To accept or decline, log in with this email address: ${page}`,
      `The invitation expires in ${INVITATION_DAYS} days. If this address already has a Lightkeeper account, leave its current organization first.`,
      `If you don’t know ${inviter}, ignore this email.`,
    ],
  };
}

export async function updateMember(
  tx: Writer,
  { person, id, role }: { person: User; id: string; role: MemberRole },
): Promise<Outcome<MemberRow>> {
  const before = await lockMember(tx, person, id);
  if (before.kind === "oidcUser")
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "role",
      message: "is set by the identity provider at every sign-in",
    });
  if (before.role === "owner" && role !== "owner") await requireAnotherOwner(tx, before, "role");
  await setRole(tx, before, role);
  const after = { ...before, role };
  return done(
    after,
    memberEntry(person, id, { event: "UPDATED", before: auditMember(before), after: auditMember(after) }),
  );
}

async function setRole(
  tx: Writer,
  { kind, organization_id, id }: MemberRow,
  role: MemberRole,
): Promise<void> {
  if (kind === "user")
    await tx
      .updateTable("users")
      .set({ role })
      .where("organization_id", "=", organization_id)
      .where("id", "=", id)
      .execute();
  else
    await tx
      .updateTable("invitations")
      .set({ role })
      .where("organization_id", "=", organization_id)
      .where("id", "=", id)
      .execute();
}

/** Locks the organization: otherwise two owners could both step down. */
export async function lockMember(tx: Writer, person: User, id: string): Promise<MemberRow> {
  await lockOrganizationForNoKeyUpdate(tx, person.organization.id);
  await requireMember(tx, person, "owner");
  const row = await findMember(tx, person.organization.id, id);
  if (!row) throw new ApiError("ERR_NOT_FOUND");
  return row;
}

export async function requireAnotherOwner(
  tx: Writer,
  { kind, role, id, organization_id }: MemberRow,
  path?: string,
): Promise<void> {
  if (kind !== "user" || role !== "owner") return;
  const otherOwner = await tx
    .selectFrom("users")
    .select("id")
    .where("organization_id", "=", organization_id)
    .where("role", "=", "owner")
    .where("id", "!=", id)
    .limit(1)
    .executeTakeFirst();
  if (!otherOwner)
    throw new ApiError("ERR_INVALID_VALUE", {
      ...(path !== undefined && { path }),
      message: "this is the only owner: make someone else an owner first",
    });
}
