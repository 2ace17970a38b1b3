import type { Reader } from "../../infrastructure/db/client.ts";
import { toChainedEntry } from "../../infrastructure/audit-chain/entries.ts";
import { findHead } from "./audit.queries.ts";
import { CHAIN_START, chainHash } from "../../infrastructure/audit-chain/chain.ts";
import { readChain } from "./entry-batches.ts";

export type ChainVerification =
  | { ok: true; entries: number; head: string | null }
  | { ok: false; firstBroken: string };

/**
 * Recomputes the chain from its start and compares its length with the stored head, so that a missing tail is found.
 * Returns undefined if the client disconnects.
 */
export async function verifyChain(
  db: Reader,
  organizationID: string,
  disconnected?: AbortSignal,
): Promise<ChainVerification | undefined> {
  const head = await findHead(db, organizationID);
  let previous = CHAIN_START;
  let sequence = 0;
  for await (const rows of readChain(db, organizationID)) {
    if (disconnected?.aborted) return undefined;
    for (const row of rows) {
      const hash = chainHash(previous, toChainedEntry(row, sequence + 1));
      if (row.sequence !== sequence + 1 || !row.hash?.equals(hash)) return { ok: false, firstBroken: row.id };
      previous = hash;
      sequence += 1;
    }
  }
  // More entries than the head counts were sealed in the meantime; fewer means that some are missing.
  if (head && sequence < head.sequence) return { ok: false, firstBroken: `sequence ${sequence + 1}` };
  return { ok: true, entries: sequence, head: sequence > 0 ? previous.toString("hex") : null };
}
