import type { Writer } from "../../infrastructure/db/client.ts";

/** Held until the transaction ends, for what may be done one at a time in an organization. */
export async function holdOrganization(tx: Writer, organizationID: string): Promise<void> {
  await tx
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationID)
    .forNoKeyUpdate()
    .execute();
}
