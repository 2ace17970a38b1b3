/** The next generation of credentials for hosts that keep their certificate, many at once. */
import { sql } from "kysely";
import { createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { UnauditedWriter } from "../../infrastructure/db/client.ts";
import { lockHostsForKeyShare } from "../../infrastructure/db/locks.ts";
import { columnsOf, type Credentials } from "./credentials.service.ts";

export type Staged = Omit<Credentials, "certificate">;

const AT_ONCE = 500;

/** Whether it is staged: not for a host that is gone, blocked, or has moved on from the generation before. */
export function createStaging(db: UnauditedWriter): (staged: Staged) => Promise<boolean> {
  const stage = (staged: Staged[], { isSkippingLocked }: { isSkippingLocked: boolean }) =>
    db.transaction().execute(async (tx) => {
      const ids = staged.map(({ hostID }) => hostID);
      const hosts = await lockHostsForKeyShare(tx, ids, { isSkippingLocked });
      const isBlocked = new Map(hosts.map(({ id, is_blocked }) => [id, is_blocked]));
      const stored = await insert(
        tx,
        staged.filter(({ hostID }) => isBlocked.get(hostID) === false),
      );
      return staged.map(({ hostID }) => (isBlocked.has(hostID) ? stored.has(hostID) : undefined));
    });
  const stageTogether = createBatch({
    max: AT_ONCE,
    keyOf: ({ hostID }: Staged) => hostID,
    work: (staged: Staged[]) => stage(staged, { isSkippingLocked: true }),
  });
  // A host that another request has locked is waited for alone, so that no batch waits.
  return async (staged) =>
    (await stageTogether(staged)) ?? (await stage([staged], { isSkippingLocked: false }))[0] ?? false;
}

async function insert(tx: UnauditedWriter, staged: Staged[]): Promise<Set<string>> {
  const rowsOf = staged.map((one) => ({
    ...columnsOf({ ...one, certificate: "" }),
    host_id: one.hostID,
    organization_id: one.organizationID,
    counter: one.counter,
    signing_key: `\\x${one.signingKey.toString("hex")}`,
  }));
  const { rows } = await sql<{ id: string }>`
    insert into host_credentials (host_id, organization_id, counter, signing_key, certificate, config, config_hash,
        nebula_version, sent_hash, sent_kind, sent_at, revision)
      select staged.host_id, staged.organization_id, staged.counter, staged.signing_key, used.certificate,
          staged.config, staged.config_hash, staged.nebula_version, staged.sent_hash, staged.sent_kind,
          staged.sent_at, staged.revision
        from json_populate_recordset(null::host_credentials, ${JSON.stringify(rowsOf)}) staged
        join host_credentials used on used.host_id = staged.host_id and used.counter = staged.counter - 1
      on conflict (host_id, counter) do update set signing_key = excluded.signing_key,
        certificate = excluded.certificate, config = excluded.config, config_hash = excluded.config_hash,
        nebula_version = excluded.nebula_version, sent_hash = excluded.sent_hash,
        sent_kind = excluded.sent_kind, sent_at = excluded.sent_at, revision = excluded.revision
      returning host_id as id`.execute(tx);
  return new Set(rows.map(({ id }) => id));
}
