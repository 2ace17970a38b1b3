/** Takes note that hosts use the generation of credentials they were sent last. */
import { sql } from "kysely";
import { createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { isToBeSuperseded, promoteCredentials } from "./credentials.service.ts";

export interface Promotion {
  hostID: string;
  counter: number;
  now: Date;
  certificate: { fingerprint: string; caID: string; notAfter: Date } | undefined;
}

const AT_ONCE = 500;

/**
 * Many at once where nothing but the older generation has to go. A host that somebody holds, or whose older
 * certificates are to be seen to, is seen to by itself: no round waits for anybody.
 */
export function createPromotion(db: UnauditedWriter) {
  const promoteTogether = createBatch({
    max: AT_ONCE,
    keyOf: ({ hostID }: Promotion) => hostID,
    work: async (promotions: Promotion[]) => {
      const promoted = await db.transaction().execute(async (tx) => {
        const simple = await lockSimple(tx, promotions);
        await dropOlder(
          tx,
          promotions.filter(({ hostID }) => simple.has(hostID)),
        );
        return simple;
      });
      return promotions.map(({ hostID }) => promoted.has(hostID));
    },
  });
  return async (promotion: Promotion): Promise<void> => {
    if (await promoteTogether(promotion)) return;
    await promoteCredentials(db, promotion, promotion.certificate);
  };
}

/** Locks the unlocked hosts that have no older certificate to supersede. */
async function lockSimple(tx: UnauditedWriter, promotions: Promotion[]): Promise<Set<string>> {
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

async function dropOlder(tx: UnauditedWriter, promotions: Promotion[]): Promise<void> {
  const ids = promotions.map(({ hostID }) => hostID);
  const counters = promotions.map(({ counter }) => counter);
  await sql`
    delete from host_credentials older
      using unnest(${ids}::text[], ${counters}::integer[]) promoted (id, counter)
      where older.host_id = promoted.id and older.counter < promoted.counter`.execute(tx);
}
