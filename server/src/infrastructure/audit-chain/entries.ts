import { type SelectQueryBuilder, sql } from "kysely";
import type { Reader } from "../db/client.ts";
import type { Tables } from "../db/tables.ts";
import type { ChainedEntry } from "./chain.ts";

const instantOf = sql<string>`to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Timestamps are text because a Date would lose their microseconds, which the hash covers. */
export function selectEntries(db: Reader) {
  return db
    .selectFrom("audit_logs")
    .select([
      "id",
      "organization_id",
      instantOf.as("timestamp"),
      "actor",
      "target_type",
      "target_id",
      "event_type",
      "before",
      "after",
      "actor_address",
      "access_diff",
      "sequence",
      "hash",
    ]);
}

export type AuditRow =
  ReturnType<typeof selectEntries> extends SelectQueryBuilder<Tables, "audit_logs", infer Row> ? Row : never;

/** The sequence number that the organization's last entry has, or gets when it is sealed. */
export async function readAuditHead(db: Reader, organizationID: string): Promise<number> {
  const unsealed = sql<number>`(select count(*) from audit_logs logs
    where logs.organization_id = ${organizationID} and logs.sequence is null)`;
  const row = await db
    .selectFrom("organizations")
    .leftJoin("audit_heads", "audit_heads.organization_id", "organizations.id")
    .select(sql<number>`coalesce(sequence, 0) + ${unsealed}`.as("head"))
    .where("organizations.id", "=", organizationID)
    .executeTakeFirst();
  return row?.head ?? 0;
}

export function findUnsealed(db: Reader, limit: number): Promise<AuditRow[]> {
  return selectEntries(db)
    .where("sequence", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .limit(limit)
    .execute();
}

export function toChainedEntry(row: AuditRow, sequence: number): ChainedEntry {
  return {
    sequence,
    id: row.id,
    organizationID: row.organization_id,
    timestamp: row.timestamp,
    actor: row.actor,
    targetType: row.target_type,
    targetID: row.target_id,
    eventType: row.event_type,
    before: row.before,
    after: row.after,
    // Older entries have neither, and their hashes were computed without these keys.
    ...(row.actor_address !== null && { actorAddress: row.actor_address }),
    ...(row.access_diff !== null && { accessDiff: row.access_diff }),
  };
}
