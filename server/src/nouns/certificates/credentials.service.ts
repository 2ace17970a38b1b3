/**
 * A host authenticates with a signing key and the counter of its credentials. An update stages the next credentials;
 * the old ones stay valid until the host uses the next ones, which shows that the reply arrived.
 */
import { type RawBuilder, sql } from "kysely";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { executeWithNext } from "../../infrastructure/db/driver.ts";
import { toHexText } from "../../infrastructure/db/json-rows.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";

export interface Credentials {
  hostID: string;
  organizationID: string;
  counter: number;
  signingKey: Buffer;
  /** The fingerprint of the certificate that the host gets with them. */
  certificate: string;
  /** The configuration without the certificate. */
  config: string;
  configHash: string;
  /** The version that the configuration was rendered for. */
  nebulaVersion: string | undefined;
  sentHash: string;
  sentKind: "config" | "certificate";
  sentAt: Date;
  revision: number;
}

/** Configurations grow with the blocklist of their network; longer ones are not stored for each host. */
const STORED_LENGTH_MAX = 32 * 1024;

/** Peers notice a new certificate within seconds; revoking the old one earlier would disconnect the host. */
const REVOKE_DELAY_MS = MINUTE_MS;

/** As a row in JSON. */
export const toRow = (credentials: Credentials) => ({
  host_id: credentials.hostID,
  organization_id: credentials.organizationID,
  counter: credentials.counter,
  signing_key: toHexText(credentials.signingKey),
  certificate: credentials.certificate,
  config: credentials.config.length <= STORED_LENGTH_MAX ? credentials.config : null,
  config_hash: credentials.configHash,
  nebula_version: credentials.nebulaVersion ?? null,
  sent_hash: credentials.sentHash,
  sent_kind: credentials.sentKind,
  sent_at: credentials.sentAt,
  revision: credentials.revision,
});

const COLUMNS = sql`host_id, organization_id, counter, signing_key, certificate, config, config_hash,
  nebula_version, sent_hash, sent_kind, sent_at, revision`;

/** Inserts credentials, and replaces those that were staged before. The query selects the columns of `toRow`. */
export const stagingFrom = (query: RawBuilder<unknown>) => sql<{ host_id: string }>`
  insert into host_credentials (${COLUMNS}) ${query}
    on conflict (host_id, counter) do update set signing_key = excluded.signing_key,
      certificate = excluded.certificate, config = excluded.config, config_hash = excluded.config_hash,
      nebula_version = excluded.nebula_version, sent_hash = excluded.sent_hash,
      sent_kind = excluded.sent_kind, sent_at = excluded.sent_at, revision = excluded.revision
    returning host_id`;

/** Takes effect with the caller's next statement. */
export async function stageCredentials(tx: Writer, credentials: readonly Credentials[]): Promise<void> {
  const rows = JSON.stringify(credentials.map(toRow));
  const query = sql`select ${COLUMNS} from json_populate_recordset(null::host_credentials, ${rows})`;
  await executeWithNext(tx, stagingFrom(query));
}

/** Deletes the credentials of each host before the counter; returns their number. */
export async function deleteOlderCredentials(
  db: UnauditedWriter,
  generations: readonly { hostID: string; counter: number }[],
): Promise<number> {
  const ids = generations.map(({ hostID }) => hostID);
  const counters = generations.map(({ counter }) => counter);
  const { numAffectedRows = 0n } = await sql`
    delete from host_credentials older
      using unnest(${ids}::text[], ${counters}::integer[]) used (id, counter)
      where older.host_id = used.id and older.counter < used.counter`.execute(db);
  return Number(numAffectedRows);
}

const isWider = sql`not coalesce(
  older.groups <@ used.groups and older.unsafe_networks <@ used.unsafe_networks,
  older.identity_hash = used.identity_hash)`;

/** A condition on two certificates of a host, `older` and `used`. */
export const isToBeSuperseded = sql<boolean>`
  older.fingerprint <> used.fingerprint and older.revoked_at is null and older.revoke_after is null
    and (older.superseded_at is null or ${isWider})`;

/**
 * Supersedes all other certificates of the host; returns whether there were any. Those that allowed more than the one
 * in use are revoked later, however long ago they were replaced; a renewal revokes none.
 */
export async function supersedeCertificates(
  db: UnauditedWriter,
  { hostID, fingerprint, now }: { hostID: string; fingerprint: string; now: Date },
): Promise<boolean> {
  const revokeAfter = new Date(now.getTime() + REVOKE_DELAY_MS);
  const { numAffectedRows = 0n } = await sql`
    update host_certificates older set
      superseded_at = coalesce(older.superseded_at, ${now}),
      revoke_after = case when ${isWider} then ${revokeAfter}::timestamptz end
    from host_certificates used
    where used.fingerprint = ${fingerprint} and older.host_id = ${hostID} and ${isToBeSuperseded}`.execute(
    db,
  );
  return numAffectedRows > 0n;
}

export async function deleteCredentials(tx: Writer, hostIDs: readonly string[]): Promise<void> {
  await tx.deleteFrom("host_credentials").where("host_id", "in", hostIDs).execute();
}
