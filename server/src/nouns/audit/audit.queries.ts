import { auditActorKinds, type AuditEventType, type AuditTargetType } from "@lightkeeper/contract";
import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";
import { countRows, countUpTo, type Page, page, type PageRequest } from "../../infrastructure/db/pages.ts";
import { type AuditRow, selectEntries } from "../../infrastructure/audit-chain/entries.ts";

export interface AuditFilter {
  targetID?: string | undefined;
  targetType?: AuditTargetType | undefined;
  /** An ID, an email address, or the type of an actor without either. */
  actor?: string | undefined;
  action?: AuditEventType | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

const actorName = sql<string>`lower(coalesce(actor ->> 'email', actor ->> 'type'))`;
const actorID = sql<string>`(actor ->> 'id')`;
const isName = (actor: string) => actor.includes("@") || auditActorKinds.some((kind) => kind === actor);

const COUNT_MAX = 10_000;

function selectMatching(db: Reader, organizationID: string, filter: AuditFilter) {
  const { targetID, targetType, actor, action, from, to } = filter;
  let query = selectEntries(db).where("organization_id", "=", organizationID);
  if (targetType !== undefined) query = query.where("target_type", "=", targetType);
  if (targetID !== undefined) query = query.where("target_id", "=", targetID);
  if (action !== undefined) query = query.where("event_type", "=", action);
  if (actor !== undefined)
    query = isName(actor)
      ? query.where(actorName, "=", sql<string>`lower(${actor})`)
      : query.where(actorID, "=", actor);
  if (from !== undefined) query = query.where("created_at", ">=", from);
  if (to !== undefined) query = query.where("created_at", "<", to);
  return query;
}

export function listAuditLogs(
  db: Reader,
  organizationID: string,
  filter: AuditFilter,
  request: PageRequest,
): Promise<Page<AuditRow>> {
  return page(
    selectMatching(db, organizationID, filter),
    {
      keys: [
        { column: "created_at", kind: "instant", of: (row) => row.timestamp },
        { column: "id", kind: "text", of: (row) => row.id },
      ],
      descending: true,
    },
    request,
    () => countUpTo(db, selectMatching(db, organizationID, filter), COUNT_MAX),
  );
}

export const countAuditLogs = (db: Reader, organizationID: string, filter: AuditFilter): Promise<number> =>
  countRows(selectMatching(db, organizationID, filter));

/** Newest first, starting before a known entry if there is one. */
export function findAuditLogs(
  db: Reader,
  organizationID: string,
  filter: AuditFilter,
  { before, limit }: { before: AuditRow | undefined; limit: number },
): Promise<AuditRow[]> {
  let query = selectMatching(db, organizationID, filter);
  if (before) query = query.where(sql<boolean>`(created_at, id) < (${before.timestamp}, ${before.id})`);
  return query.orderBy("created_at", "desc").orderBy("id", "desc").limit(limit).execute();
}

export interface Head {
  sequence: number;
  hash: Buffer;
}

export function findHead(db: Reader, organizationID: string): Promise<Head | undefined> {
  return db
    .selectFrom("audit_heads")
    .select(["sequence", "hash"])
    .where("organization_id", "=", organizationID)
    .executeTakeFirst();
}

export function findSealedEntries(
  db: Reader,
  organizationID: string,
  after: number,
  limit: number,
): Promise<AuditRow[]> {
  return selectEntries(db)
    .where("organization_id", "=", organizationID)
    .where("sequence", ">", after)
    .orderBy("sequence")
    .limit(limit)
    .execute();
}
