/** Lists, accepts and declines invitations for the invited person. There is no other way to join an organization. */
import type { AuditActor, Invitation, MemberRole } from "@lightkeeper/contract";
import { newId } from "../../infrastructure/crypto/ids.ts";
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { insertUser } from "./users.service.ts";

const openInvitations = (db: Reader, email: string, now: Date) =>
  db.selectFrom("invitations").where("email", "=", email).where("expires_at", ">", now);

export async function hasInvitation(db: Reader, email: string, now: Date): Promise<boolean> {
  return (await openInvitations(db, email, now).select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Newest first. */
export async function listInvitations(db: Reader, email: string, now: Date): Promise<Invitation[]> {
  const rows = await openInvitations(db, email, now)
    .innerJoin("organizations", "organizations.id", "invitations.organization_id")
    .select([
      "invitations.id",
      "organizations.name as organizationName",
      "invitations.invited_by_email as invitedBy",
      "invitations.role",
      "invitations.expires_at as expiresAt",
    ])
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id")
    .execute();
  return rows.map((row) => ({ ...row, expiresAt: row.expiresAt.toISOString() }));
}

interface InvitationReply {
  id: string;
  /** The caller has verified that the person owns this address. */
  email: string;
  now: Date;
}

/** Locks the organization, so that the invitation cannot be changed or withdrawn until the transaction ends. */
async function lockInvitation(tx: Writer, { id, email, now }: InvitationReply) {
  const find = () =>
    tx
      .selectFrom("invitations")
      .selectAll()
      .where("id", "=", id)
      .where("email", "=", email)
      .executeTakeFirst();
  const found = await find();
  if (!found) throw new ApiError("ERR_NOT_FOUND");
  await lockOrganizationForNoKeyUpdate(tx, found.organization_id);
  const invitation = await find();
  if (!invitation) throw new ApiError("ERR_NOT_FOUND");
  if (invitation.expires_at <= now)
    throw new ApiError("ERR_NOT_FOUND", { message: "the invitation has expired" });
  return invitation;
}

/** Creates the account in the inviting organization. The caller has locked the address and checked for an account. */
export async function acceptInvitation(
  tx: Writer,
  { role, ...reply }: InvitationReply & { role: MemberRole },
): Promise<{ account: { userID: string; organizationID: string; email: string }; entries: [AuditEntry] }> {
  const invitation = await lockInvitation(tx, reply);
  if (invitation.role !== role)
    throw new ApiError("ERR_INVALID_VALUE", {
      path: "role",
      message: `the role of the invitation is now ${invitation.role}`,
    });
  const { organization_id: organizationID, email } = invitation;
  const userID = newId("user");
  await tx.deleteFrom("invitations").where("id", "=", invitation.id).execute();
  await insertUser(tx, { id: userID, organizationID, email, role, now: reply.now });
  const joined: AuditEntry = {
    organizationID,
    actor: { type: "user", id: userID, email },
    target: { type: "user", id: userID },
    event: "CREATED",
    before: null,
    after: { email, role, ...(invitation.invited_by_email && { invitedBy: invitation.invited_by_email }) },
  };
  return { account: { userID, organizationID, email }, entries: [joined] };
}

export async function declineInvitation(
  tx: Writer,
  reply: InvitationReply,
): Promise<Outcome<Record<string, never>>> {
  const { id, email, role, organization_id: organizationID } = await lockInvitation(tx, reply);
  await tx.deleteFrom("invitations").where("id", "=", id).execute();
  // The actor is the invitation: this organization must not learn of an account in another one.
  const actor: AuditActor = { type: "user", id, email };
  return done(
    {},
    {
      organizationID,
      actor,
      target: { type: "user", id },
      event: "DELETED",
      before: { email, role, invited: true },
      after: null,
    },
  );
}
