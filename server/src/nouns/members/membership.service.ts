import type { MemberRole } from "@lightkeeper/contract";
import { isAtLeast } from "@lightkeeper/contract";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Person } from "../../infrastructure/http/actor.ts";
import { findMember, type MemberRow } from "./members.queries.ts";

export type { MemberRow };

/**
 * Reads the member again inside the transaction: while the request waited for the organization's lock, the person may
 * have been removed or their role changed.
 */
export async function requireMember(tx: Writer, person: Person, needed: MemberRole): Promise<MemberRow> {
  const member = await findMember(tx, person.organization.id, person.id);
  if (!member || member.removed_at) throw new ApiError("ERR_UNAUTHORIZED");
  if (!isAtLeast(member.role, needed))
    throw new ApiError("ERR_FORBIDDEN", {
      message: `this requires the role ${needed}; yours is ${member.role}`,
    });
  return member;
}
