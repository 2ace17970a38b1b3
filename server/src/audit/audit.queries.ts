import { type SelectQueryBuilder, sql } from "kysely";
import type { Reader } from "../db/client.ts";
import { type Page, page, type PageRequest } from "../db/pages.ts";
import type { Tables } from "../db/tables.ts";
import type { ChainedEntry } from "./chain.ts";

const instantOf = sql<string>`to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** An entry's columns, the moment to the microsecond as text. */
function entries(db: Reader) {
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
      "sequence",
      "hash",
    ]);
}

export type AuditRow =
  ReturnType<typeof entries> extends SelectQueryBuilder<Tables, "audit_logs", infer Row> ? Row : never;

export interface AuditFilter {
  targetID: string | undefined;
  targetType: Tables["audit_logs"]["target_type"]["__select__"] | undefined;
}

export function listAuditLogs(
  db: Reader,
  organizationID: string,
  { targetID, targetType }: AuditFilter,
  request: PageRequest,
): Promise<Page<AuditRow>> {
  let query = entries(db).where("organization_id", "=", organizationID);
  if (targetType !== undefined) query = query.where("target_type", "=", targetType);
  if (targetID !== undefined) query = query.where("target_id", "=", targetID);
  return page(
    query,
    {
      keys: [
        { column: "created_at", kind: "instant", of: (row) => row.timestamp },
        { column: "id", kind: "text", of: (row) => row.id },
      ],
      descending: true,
    },
    request,
    () => Promise.resolve(0),
  );
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
  };
}

export function findUnsealed(db: Reader, limit: number): Promise<AuditRow[]> {
  return entries(db).where("sequence", "is", null).orderBy("created_at").orderBy("id").limit(limit).execute();
}

export function findSealed(
  db: Reader,
  organizationID: string,
  after: number,
  limit: number,
): Promise<AuditRow[]> {
  return entries(db)
    .where("organization_id", "=", organizationID)
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(limit)
    .execute();
}
