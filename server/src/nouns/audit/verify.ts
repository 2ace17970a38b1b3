import type { Reader } from "../../infrastructure/db/client.ts";
import { toChainedEntry } from "../../infrastructure/audit-chain/entries.ts";
import { findHead } from "./audit.queries.ts";
import { CHAIN_START, chainHash } from "../../infrastructure/audit-chain/chain.ts";
import { walkChain } from "./walks.ts";

export type Verdict = { ok: true; entries: number; head: string | null } | { ok: false; firstBroken: string };

/**
 * Walks the chain from its start and holds its end against the kept head, so that a cut-off tail shows. Undefined
 * once nobody waits for it.
 */
export async function verifyChain(
  db: Reader,
  organizationID: string,
  gone?: AbortSignal,
): Promise<Verdict | undefined> {
  const head = await findHead(db, organizationID);
  let previous = CHAIN_START;
  let sequence = 0;
  for await (const rows of walkChain(db, organizationID)) {
    if (gone?.aborted) return undefined;
    for (const row of rows) {
      const hash = chainHash(previous, toChainedEntry(row, sequence + 1));
      if (row.sequence !== sequence + 1 || !row.hash?.equals(hash)) return { ok: false, firstBroken: row.id };
      previous = hash;
      sequence += 1;
    }
  }
  // Entries sealed while we walked lie after the head we know; fewer than it counted means some are gone.
  if (head && sequence < head.sequence) return { ok: false, firstBroken: `sequence ${sequence + 1}` };
  return { ok: true, entries: sequence, head: sequence > 0 ? previous.toString("hex") : null };
}
