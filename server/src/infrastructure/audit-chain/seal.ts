/** Adds committed entries to the hash chain of their organization, one process at a time. */
import { type Kysely, sql } from "kysely";
import type { Tables } from "../db/tables.ts";
import { findUnsealed, toChainedEntry } from "./entries.ts";
import { CHAIN_START, chainHash } from "./chain.ts";

const SEAL_LOCK = 7_205_002;
const BATCH = 500;

interface SealedEntry {
  id: string;
  sequence: number;
  hash: Buffer;
}

/** Returns the number of sealed entries; 0 if another process is sealing. */
export async function sealAuditLogs(db: Kysely<Tables>): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows: lock } = await sql<{
      acquired: boolean;
    }>`select pg_try_advisory_xact_lock(${SEAL_LOCK}) as acquired`.execute(tx);
    if (!lock[0]?.acquired) return 0;
    const unsealed = await findUnsealed(tx, BATCH);
    if (unsealed.length === 0) return 0;
    const organizationIDs = [...new Set(unsealed.map((row) => row.organization_id))];
    const storedHeads = await tx
      .selectFrom("audit_heads")
      .selectAll()
      .where("organization_id", "in", organizationIDs)
      .execute();
    const heads = new Map(
      storedHeads.map(({ organization_id, sequence, hash }) => [organization_id, { sequence, hash }]),
    );
    const sealed: SealedEntry[] = unsealed.map((row) => {
      const head = heads.get(row.organization_id) ?? { sequence: 0, hash: CHAIN_START };
      const sequence = head.sequence + 1;
      const hash = chainHash(head.hash, toChainedEntry(row, sequence));
      heads.set(row.organization_id, { sequence, hash });
      return { id: row.id, sequence, hash };
    });
    await sql`
      update audit_logs set sequence = sealed.sequence, hash = sealed.hash
      from unnest(
        ${sealed.map(({ id }) => id)}::text[],
        ${sealed.map(({ sequence }) => sequence)}::bigint[],
        ${sealed.map(({ hash }) => hash)}::bytea[]
      ) as sealed (id, sequence, hash)
      where audit_logs.id = sealed.id`.execute(tx);
    const newHeads = organizationIDs.flatMap((organization_id) => {
      const head = heads.get(organization_id);
      return head ? [{ organization_id, ...head }] : [];
    });
    await tx
      .insertInto("audit_heads")
      .values(newHeads)
      .onConflict((conflict) =>
        conflict.column("organization_id").doUpdateSet((eb) => ({
          sequence: eb.ref("excluded.sequence"),
          hash: eb.ref("excluded.hash"),
        })),
      )
      .execute();
    return sealed.length;
  });
}
