import type { QueryExecutorProvider } from "kysely";
import { notifying } from "../db/notifications.ts";
import type { OrganizationChange } from "./change-feed.ts";

/** Notifies every process of changes without an audit entry; inside a transaction, when it commits. */
export async function announce(db: QueryExecutorProvider, ...changes: OrganizationChange[]): Promise<void> {
  await notifying(changes.map((change) => ({ ...change, isReported: true }))).execute(db);
}
