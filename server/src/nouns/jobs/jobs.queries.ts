import type { Selectable } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";

export type JobRow = Selectable<Tables["jobs"]>;

export function findJob(db: Reader, organizationID: string, id: string): Promise<JobRow | undefined> {
  return db
    .selectFrom("jobs")
    .selectAll()
    .where("organization_id", "=", organizationID)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** Locks the oldest unfinished job that no other process is running. */
export function claimJob(db: Reader): Promise<JobRow | undefined> {
  return db
    .selectFrom("jobs")
    .selectAll()
    .where("state", "!=", "done")
    .orderBy("created_at")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

export async function findItems(db: Reader, jobID: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("job_items")
    .select("item")
    .where("job_id", "=", jobID)
    .orderBy("item")
    .limit(limit)
    .execute();
  return rows.map(({ item }) => item);
}
