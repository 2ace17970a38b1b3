import type { Reader } from "../../infrastructure/db/client.ts";

/** The organization's own flags, which override the configured ones. */
export async function findFeatureFlags(db: Reader, organizationID: string): Promise<Record<string, boolean>> {
  const rows = await db
    .selectFrom("feature_flags")
    .select(["name", "value"])
    .where("organization_id", "=", organizationID)
    .execute();
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}
