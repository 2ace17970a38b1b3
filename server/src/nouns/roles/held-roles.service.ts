import type { Writer } from "../../infrastructure/db/client.ts";

/** Those of the ids that are roles here, held so that none can be deleted before the transaction ends. */
export async function holdRoles(
  tx: Writer,
  organizationID: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tx
    .selectFrom("roles")
    .select("id")
    .where("organization_id", "=", organizationID)
    .where("id", "in", ids)
    .orderBy("id")
    .forKeyShare()
    .execute();
  return new Set(rows.map(({ id }) => id));
}
