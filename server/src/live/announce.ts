import { sql } from "kysely";
import { CHANGES_CHANNEL } from "../db/audited.ts";
import type { Bookkeeper } from "../db/client.ts";
import type { OrganizationChange } from "./change-feed.ts";

/** Tells every process of a change that no audit entry tells of. */
export async function announce(db: Bookkeeper, change: OrganizationChange): Promise<void> {
  await sql`select pg_notify(${CHANGES_CHANNEL}, ${JSON.stringify(change)})`.execute(db);
}
