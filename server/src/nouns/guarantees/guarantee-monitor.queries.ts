import { sql } from "kysely";
import type { Reader } from "../../infrastructure/db/client.ts";

export interface ChangedOrganizations {
  organizationIDs: string[];
  /** What was committed when the organizations were read. */
  snapshot: string;
}

/**
 * The organizations in which something that decides about guarantees was committed after the snapshot, or in which a
 * suspension has ended; all of them without a snapshot, or if changes since then are no longer stored. Guarantees
 * themselves are evaluated when they are saved.
 */
export function findChangedOrganizations(
  db: Reader,
  snapshot: string | undefined,
  now: Date,
): Promise<ChangedOrganizations> {
  const previous = sql`${snapshot}::pg_snapshot`;
  const hasChanged = sql`bool_or(suspended_until <= ${now})
    or exists (
      select from access_changes changes
      where changes.organization_id = guarantees.organization_id and kind <> 'guarantee'
        and transaction_id >= pg_snapshot_xmin(${previous})
        and not pg_visible_in_snapshot(transaction_id, ${previous}))
    or exists (
      select from access_changes
      where organization_id = '' and key::numeric >= pg_snapshot_xmin(${previous})::text::numeric)`;
  const changed = sql<ChangedOrganizations>`(
    select pg_current_snapshot()::text as snapshot, array(
      select organization_id from guarantees group by organization_id
      having ${snapshot === undefined ? sql`true` : hasChanged}) as "organizationIDs")`;
  return db.selectFrom(changed.as("changed")).selectAll().executeTakeFirstOrThrow();
}
