import type { Reader } from "../../infrastructure/db/client.ts";

/** What a change in the audit log opened and closed. */
export const findAccessDiff = (db: Reader, organizationID: string, id: string) =>
  db
    .selectFrom("access_diffs")
    .select(["opened", "closed", "affected_hosts as affectedHosts"])
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .executeTakeFirst();
