import { newId } from "../crypto/ids.ts";
import type { AuditEntry } from "../db/audited.ts";
import type { Reader, Writer } from "../db/client.ts";

const open = (db: Reader, email: string, now: Date) =>
  db.selectFrom("invitations").where("email", "=", email).where("expires_at", ">", now);

export async function hasInvitation(db: Reader, email: string, now: Date): Promise<boolean> {
  return (await open(db, email, now).select("id").limit(1).executeTakeFirst()) !== undefined;
}

/** Whoever has proved to own an address joins the organization that invited it last. */
export async function acceptInvitation(tx: Writer, email: string, now: Date) {
  const invitation = await open(tx, email, now)
    .selectAll()
    .orderBy("created_at", "desc")
    .limit(1)
    .forUpdate()
    .executeTakeFirst();
  if (!invitation) return undefined;
  const { organization_id: organizationID, role } = invitation;
  const userID = newId("user");
  await tx.deleteFrom("invitations").where("id", "=", invitation.id).execute();
  await tx
    .insertInto("users")
    .values({ id: userID, organization_id: organizationID, email, role, created_at: now })
    .execute();
  const joined: AuditEntry = {
    organizationID,
    actor: { type: "user", id: userID, email },
    target: { type: "user", id: userID },
    event: "CREATED",
    before: null,
    after: { email, role },
  };
  const entries: [AuditEntry] = [joined];
  return { account: { userID, organizationID, email }, entries };
}
