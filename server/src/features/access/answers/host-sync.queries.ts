import type { Reader } from "../../../infrastructure/db/client.ts";
import type { HostSync } from "./example.ts";

export async function readHostSync(
  db: Reader,
  organizationID: string,
  hostIDs: readonly string[],
): Promise<HostSync> {
  const rows = await db
    .selectFrom("hosts")
    .innerJoin("host_reports", "host_reports.host_id", "hosts.id")
    .select(["hosts.id", "hosts.is_drifted"])
    .where("hosts.organization_id", "=", organizationID)
    .where("hosts.id", "in", [...hostIDs])
    .execute();
  return new Map(rows.map(({ id, is_drifted }) => [id, !is_drifted]));
}
