import type { MemberRole } from "@lightkeeper/contract";
import type { Writer } from "../../infrastructure/db/client.ts";

interface NewUser {
  id: string;
  organizationID: string;
  email: string;
  role: MemberRole;
  now: Date;
}

export async function insertUser(
  tx: Writer,
  { id, organizationID, email, role, now }: NewUser,
): Promise<void> {
  await tx
    .insertInto("users")
    .values({ id, organization_id: organizationID, email, role, created_at: now })
    .execute();
}
