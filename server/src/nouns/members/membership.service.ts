import type { MemberRole } from "@lightkeeper/contract";
import { isAtLeast } from "@lightkeeper/contract";
import type { Writer } from "../../infrastructure/db/client.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { Person } from "../../infrastructure/http/credentials.ts";
import { findMember, type MemberRow } from "./members.queries.ts";

export type { MemberRow };

/**
 * The person as they are now. Whoever waited for the lock of the organization may have been removed, or given another
 * role, since the request was authorized.
 */
export async function requireMember(tx: Writer, person: Person, needed: MemberRole): Promise<MemberRow> {
  const member = await findMember(tx, person.organization.id, person.id);
  if (!member || member.removed_at) throw new ApiError("ERR_UNAUTHORIZED");
  if (!isAtLeast(member.role, needed))
    throw new ApiError("ERR_FORBIDDEN", {
      message: `this needs the role ${needed}; yours is ${member.role}`,
    });
  return member;
}
