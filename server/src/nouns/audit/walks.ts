/** However long a log is, only a few of its entries are in memory, and nothing is held in the database between them. */
import type { Reader } from "../../infrastructure/db/client.ts";
import type { AuditRow } from "../../infrastructure/audit-chain/entries.ts";
import { type AuditFilter, findAuditLogs, findSealed } from "./audit.queries.ts";

const BATCH = 500;

export async function* walkBack(
  db: Reader,
  organizationID: string,
  filter: AuditFilter,
): AsyncGenerator<AuditRow[]> {
  let before: AuditRow | undefined;
  do {
    const rows = await findAuditLogs(db, organizationID, filter, { before, limit: BATCH });
    yield rows;
    before = rows.length === BATCH ? rows.at(-1) : undefined;
  } while (before);
}

/** From the first entry on, or those up to one. */
export async function* walkChain(
  db: Reader,
  organizationID: string,
  through = Infinity,
): AsyncGenerator<AuditRow[]> {
  let after: number | null | undefined = 0;
  while (typeof after === "number" && after < through) {
    const rows = await findSealed(db, organizationID, after, Math.min(BATCH, through - after));
    yield rows;
    after = rows.at(-1)?.sequence;
  }
}
