import { type Selectable, sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { DAY_MS } from "../../infrastructure/time/durations.ts";

export type GuaranteeRow = Selectable<Tables["guarantees"]>;

const ofOrganization = (db: Reader, organizationID: string) =>
  db.selectFrom("guarantees").where("organization_id", "=", organizationID);

/** All of them, oldest first: an organization has few. */
export const listGuarantees = (db: Reader, organizationID: string): Promise<GuaranteeRow[]> =>
  ofOrganization(db, organizationID).selectAll().orderBy("created_at").orderBy("id").execute();

export const findGuarantee = (
  db: Reader,
  organizationID: string,
  id: string,
): Promise<GuaranteeRow | undefined> =>
  ofOrganization(db, organizationID).selectAll().where("id", "=", id).executeTakeFirst();

export async function countGuarantees(db: Reader, organizationID: string): Promise<number> {
  const { count } = await ofOrganization(db, organizationID)
    .select(sql<number>`count(*)`.as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

const REJECTIONS_COUNTED_MS = 30 * DAY_MS;

/** How many changes each guarantee has rejected in the last 30 days. */
export async function countRejectedChanges(
  db: Reader,
  organizationID: string,
  { ids, now }: { ids: readonly string[]; now: Date },
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("audit_logs")
    .select(["target_id", sql<number>`count(*)`.as("count")])
    .where("organization_id", "=", organizationID)
    .where("target_id", "in", [...ids])
    .where("target_type", "=", "guarantee")
    .where("event_type", "=", "REJECTED_CHANGE")
    .where("created_at", ">", new Date(now.getTime() - REJECTIONS_COUNTED_MS))
    .groupBy("target_id")
    .execute();
  return new Map(rows.map(({ target_id, count }) => [target_id, count]));
}

export type ReferencedTable = "roles" | "tags" | "hosts" | "networks";

/** The names of the objects that exist, by ID; a tag's ID is its name. */
export async function findNames(
  db: Reader,
  organizationID: string,
  table: ReferencedTable,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const id = sql.ref<string>(table === "tags" ? "name" : "id");
  const rows = await db
    .selectFrom(table)
    .select([id.as("id"), sql.ref<string>("name").as("name")])
    .where("organization_id", "=", organizationID)
    .where(id, "in", [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}
