/** Records that a host uses the credentials it was sent last: the older ones are deleted. */
import { sql } from "kysely";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { lockHostForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { AGENT_SPACING_MS, createBatch } from "../../infrastructure/scheduling/batch.ts";
import {
  deleteOlderCredentials,
  isToBeSuperseded,
  supersedeCertificates,
} from "../../nouns/certificates/credentials.service.ts";
import { recordCertificateInUse } from "../../nouns/hosts/host-access.service.ts";
import { storeUsedRevisions } from "../../nouns/hosts/host-revisions.service.ts";

export interface Promotion {
  hostID: string;
  counter: number;
  now: Date;
  certificate: { fingerprint: string; caID: string; notAfter: Date } | undefined;
}

const BATCH_SIZE = 500;

/**
 * Promotes many hosts in one statement if only older credentials have to be deleted. A host that is locked, or whose
 * older certificates have to be superseded, is promoted alone, so that no batch waits.
 */
export function createPromotion(db: UnauditedWriter) {
  const promoteTogether = createBatch({
    max: BATCH_SIZE,
    spacingMs: AGENT_SPACING_MS,
    keyOf: ({ hostID }: Promotion) => hostID,
    work: async (promotions: Promotion[]) => {
      const promoted = await db.transaction().execute(async (tx) => {
        const lockedIDs = await lockWithoutOlderCertificates(tx, promotions);
        const locked = promotions.filter(({ hostID }) => lockedIDs.has(hostID));
        await deleteOlderCredentials(tx, locked);
        await storeUsedRevisions(tx, locked);
        return lockedIDs;
      });
      return promotions.map(({ hostID }) => promoted.has(hostID));
    },
  });
  return async (promotion: Promotion): Promise<void> => {
    if (!(await promoteTogether(promotion))) await promoteAlone(db, promotion);
  };
}

async function promoteAlone(
  db: UnauditedWriter,
  { hostID, counter, now, certificate }: Promotion,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockHostForNoKeyUpdate(tx, hostID);
    const deletedCount = await deleteOlderCredentials(tx, [{ hostID, counter }]);
    await storeUsedRevisions(tx, [{ hostID, counter, now }]);
    if (deletedCount === 0 || !certificate) return;
    const { fingerprint } = certificate;
    if (await supersedeCertificates(tx, { hostID, fingerprint, now }))
      await recordCertificateInUse(tx, hostID, certificate);
  });
}

/** Skips hosts that are locked or have an older certificate to supersede. */
async function lockWithoutOlderCertificates(
  tx: UnauditedWriter,
  promotions: Promotion[],
): Promise<Set<string>> {
  const ids = promotions.map(({ hostID }) => hostID);
  const fingerprints = promotions.map(({ certificate }) => certificate?.fingerprint ?? "");
  const { rows } = await sql<{ id: string }>`
    select hosts.id from hosts
      join unnest(${ids}::text[], ${fingerprints}::text[]) promoted (id, fingerprint) on promoted.id = hosts.id
      where not exists (select from host_certificates older
        join host_certificates used on used.fingerprint = promoted.fingerprint
        where older.host_id = hosts.id and ${isToBeSuperseded})
      order by hosts.id for no key update of hosts skip locked`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}
