/** The next generation of credentials for hosts that keep their certificate, many at once. */
import { sql } from "kysely";
import { createBatch } from "../../infrastructure/scheduling/batch.ts";
import type { Bookkeeper } from "../../infrastructure/db/client.ts";
import { columnsOf, type Credentials } from "./credentials.service.ts";

export type Staged = Omit<Credentials, "certificate">;

const AT_ONCE = 500;

/** Whether it is staged: not for a host that is gone, blocked, or has moved on from the generation before. */
export function createStaging(db: Bookkeeper): (staged: Staged) => Promise<boolean> {
  const stage = (wait: "skip locked" | "", staged: Staged[]) =>
    db.transaction().execute(async (tx) => {
      const ids = staged.map(({ hostID }) => hostID);
      // Held against those who block or enroll them; what follows sees what those have left.
      const { rows } = await sql<{ id: string; is_blocked: boolean }>`
        select id, is_blocked from hosts where id = any(${ids}::text[])
          order by id for key share ${sql.raw(wait)}`.execute(tx);
      const held = new Map(rows.map(({ id, is_blocked }) => [id, is_blocked]));
      const done = await insert(
        tx,
        staged.filter(({ hostID }) => held.get(hostID) === false),
      );
      return staged.map(({ hostID }) => (held.has(hostID) ? done.has(hostID) : undefined));
    });
  const stageTogether = createBatch({
    max: AT_ONCE,
    keyOf: ({ hostID }: Staged) => hostID,
    work: (staged: Staged[]) => stage("skip locked", staged),
  });
  // Whoever is held by somebody else is waited for alone, so that no round waits.
  return async (staged) => (await stageTogether(staged)) ?? (await stage("", [staged]))[0] ?? false;
}

async function insert(tx: Bookkeeper, staged: Staged[]): Promise<Set<string>> {
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
