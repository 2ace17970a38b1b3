import type { QueryExecutorProvider } from "kysely";
import { notifyOfChanges } from "../db/notifications.ts";
import type { OrganizationChange } from "./change-feed.ts";

/** Tells every process of what was heard and no audit entry tells of; within a transaction, when it commits. */
export async function announce(db: QueryExecutorProvider, ...changes: OrganizationChange[]): Promise<void> {
  await notifyOfChanges(
    db,
    changes.map((change) => ({ ...change, isHeard: true })),
  );
}
