/** Stages the next credentials of hosts that keep their certificate, many in one statement. */
import { sql } from "kysely";
import { createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { lockHostsForKeyShare } from "../../infrastructure/db/locks.ts";
import { type Credentials, stagingFrom, toRow } from "./credentials.service.ts";

export type StagedCredentials = Omit<Credentials, "certificate">;

const BATCH_SIZE = 500;

/** Returns false if the host is deleted or blocked, or no longer uses the previous credentials. */
export function createStaging(db: UnauditedWriter): (staged: StagedCredentials) => Promise<boolean> {
  const stage = (staged: StagedCredentials[], { isSkippingLocked }: { isSkippingLocked: boolean }) =>
    db.transaction().execute(async (tx) => {
      const ids = staged.map(({ hostID }) => hostID);
      const hosts = await lockHostsForKeyShare(tx, ids, { isSkippingLocked });
      const isBlocked = new Map(hosts.map(({ id, is_blocked }) => [id, is_blocked]));
      const stored = await insertCredentials(
        tx,
        staged.filter(({ hostID }) => isBlocked.get(hostID) === false),
      );
      return staged.map(({ hostID }) => (isBlocked.has(hostID) ? stored.has(hostID) : undefined));
    });
  const stageTogether = createBatch({
    max: BATCH_SIZE,
    keyOf: ({ hostID }: StagedCredentials) => hostID,
    work: (staged: StagedCredentials[]) => stage(staged, { isSkippingLocked: true }),
  });
  // Waits alone for a host that another request has locked, so that no batch waits.
  return async (staged) =>
    (await stageTogether(staged)) ?? (await stage([staged], { isSkippingLocked: false }))[0] ?? false;
}

async function insertCredentials(tx: UnauditedWriter, staged: StagedCredentials[]): Promise<Set<string>> {
  const json = JSON.stringify(staged.map((credentials) => toRow({ ...credentials, certificate: "" })));
  const query = sql`
    select staged.host_id, staged.organization_id, staged.counter, staged.signing_key, used.certificate,
        staged.config, staged.config_hash, staged.nebula_version, staged.sent_hash, staged.sent_kind,
        staged.sent_at, staged.revision
      from json_populate_recordset(null::host_credentials, ${json}) staged
      join host_credentials used on used.host_id = staged.host_id and used.counter = staged.counter - 1`;
  const { rows } = await stagingFrom(query).execute(tx);
  return new Set(rows.map(({ host_id }) => host_id));
}
