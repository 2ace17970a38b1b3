import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";

/** The owners with this email address of devices that were enrolled by signing in. */
export async function findDeviceOwnerIDs(
  db: Reader,
  organizationID: string,
  email: string,
): Promise<string[]> {
  const owners = await db
    .selectFrom("endpoint_users")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .execute();
  return owners.map(({ id }) => id);
}
