import type { Reader } from "../../infrastructure/db/client.ts";

export async function listOwnerEmails(db: Reader, organizationID: string): Promise<string[]> {
  const owners = await db
    .selectFrom("members")
    .select("email")
    .where("organization_id", "=", organizationID)
    .where("role", "=", "owner")
    .where("kind", "!=", "invitation")
    .execute();
  return owners.map(({ email }) => email);
}
