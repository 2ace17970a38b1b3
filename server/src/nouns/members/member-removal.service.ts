/** Ends memberships, by removal or by leaving, and readmits removed people. */
import { type AuditEntry, done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockOrganizationForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Person, User } from "../../infrastructure/http/actor.ts";
import { announce } from "../../infrastructure/changes/announce.ts";
import { deleteSsoUser, readmitSsoUser, removeSsoUser } from "../sso/removals.service.ts";
import { auditMember, lockMember, memberEntry, requireAnotherOwner } from "./members.service.ts";
import { type MemberRow, requireMember } from "./membership.service.ts";

type RemovalOutcome = Outcome<Record<string, never>>;

/** Deletes the API keys that a member created; returns the audit entries. */
export type RevokeApiKeys = (
  tx: Writer,
  removal: { person: Person; creatorID: string },
) => Promise<AuditEntry[]>;

interface Removal {
  person: Person;
  member: MemberRow;
  /** Undefined: the member's API keys are kept. */
  revokeApiKeys: RevokeApiKeys | undefined;
}

/** Also withdraws an invitation. */
export async function removeMember(
  tx: Writer,
  {
    person,
    id,
    revokeApiKeys,
    now,
  }: Omit<Removal, "member" | "person"> & { person: User; id: string; now: Date },
): Promise<RemovalOutcome> {
  const member = await lockMember(tx, person, id);
  if (member.removed_at) throw new ApiError("ERR_NOT_FOUND");
  const removal = { person, member, revokeApiKeys };
  if (member.kind !== "oidcUser") return deleteMember(tx, removal);
  // The identity provider would let this person sign in again, so the row stays and records the removal.
  return endMembership(tx, removal, () =>
    removeSsoUser(tx, { organizationID: member.organization_id, id, now }),
  );
}

export async function readmitMember(
  tx: Writer,
  { person, id }: { person: User; id: string },
): Promise<Outcome<MemberRow>> {
  const before = await lockMember(tx, person, id);
  if (!before.removed_at) throw new ApiError("ERR_INVALID_VALUE", { message: "the member isn’t removed" });
  await readmitSsoUser(tx, { organizationID: before.organization_id, id });
  const after = { ...before, removed_at: null };
  return done(
    after,
    memberEntry(person, id, {
      event: "UPDATED",
      before: { ...auditMember(before), removed: true },
      after: { ...auditMember(after), removed: false },
    }),
  );
}

export async function leaveOrganization(
  tx: Writer,
  { person, revokeApiKeys }: Omit<Removal, "member">,
): Promise<RemovalOutcome> {
  await lockOrganizationForNoKeyUpdate(tx, person.organization.id);
  // Deleting API keys requires the administrator role, even for one's own keys.
  const member = await requireMember(tx, person, revokeApiKeys ? "administrator" : "auditor");
  return deleteMember(tx, { person, member, revokeApiKeys });
}

/** Sessions and authenticators are deleted with their person. */
function deleteMember(tx: Writer, removal: Removal): Promise<RemovalOutcome> {
  const { id, kind, organization_id: organizationID } = removal.member;
  return endMembership(tx, removal, async () => {
    if (kind === "oidcUser") return deleteSsoUser(tx, { organizationID, id });
    const members = kind === "user" ? tx.deleteFrom("users") : tx.deleteFrom("invitations");
    await members.where("organization_id", "=", organizationID).where("id", "=", id).execute();
  });
}

async function endMembership(
  tx: Writer,
  { person, member, revokeApiKeys }: Removal,
  end: () => Promise<void>,
): Promise<RemovalOutcome> {
  const { id, organization_id: organizationID } = member;
  await requireAnotherOwner(tx, member);
  const sessions = await listSessionIDs(tx, member);
  await end();
  if (sessions.length > 0)
    await announce(tx, ...sessions.map((session) => ({ organizationID, noun: "sessions", id: session.id })));
  const revoked = revokeApiKeys ? await revokeApiKeys(tx, { person, creatorID: id }) : [];
  const removed = { event: "DELETED", before: auditMember(member), after: null } as const;
  return done({}, memberEntry(person, id, removed), ...revoked);
}

async function listSessionIDs(tx: Writer, { kind, id }: MemberRow): Promise<{ id: string }[]> {
  if (kind === "invitation") return [];
  if (kind === "user") return tx.selectFrom("sessions").select("id").where("user_id", "=", id).execute();
  return tx.selectFrom("oidc_sessions").select("id").where("oidc_user_id", "=", id).execute();
}
