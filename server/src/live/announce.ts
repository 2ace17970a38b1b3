import { type QueryExecutorProvider, sql } from "kysely";
import { CHANGES_CHANNEL } from "../db/audited.ts";
import type { OrganizationChange } from "./change-feed.ts";

/** Tells every process of what was heard and no audit entry tells of; within a transaction, when it commits. */
export async function announce(db: QueryExecutorProvider, ...changes: OrganizationChange[]): Promise<void> {
  const payloads = changes.map((change) => JSON.stringify({ ...change, isHeard: true }));
  await sql`select pg_notify(${CHANGES_CHANNEL}, change) from unnest(${payloads}::text[]) change`.execute(db);
}
