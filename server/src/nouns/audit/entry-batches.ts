/** Reads the log in batches, without a transaction or cursor between them, so that its length does not matter. */
import type { Reader } from "../../infrastructure/db/client.ts";
import type { AuditRow } from "../../infrastructure/audit-chain/entries.ts";
import { type AuditFilter, findAuditLogs, findSealedEntries } from "./audit.queries.ts";

const BATCH = 500;

export async function* readNewestFirst(
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

/** Oldest first, up to the sequence number `through`. */
export async function* readChain(
  db: Reader,
  organizationID: string,
  through = Infinity,
): AsyncGenerator<AuditRow[]> {
  let after: number | null | undefined = 0;
  while (typeof after === "number" && after < through) {
    const rows = await findSealedEntries(db, organizationID, after, Math.min(BATCH, through - after));
    yield rows;
    after = rows.at(-1)?.sequence;
  }
}
