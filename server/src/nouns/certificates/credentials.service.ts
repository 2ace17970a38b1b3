/**
 * What a host proves itself with: a signing key and the number of its generation. An update stages the next
 * one; whichever the host uses next shows whether the answer reached it. Until then the old one holds.
 */
import { type Kysely, sql } from "kysely";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockHostForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import type { UnauditedTables, Tables } from "../../infrastructure/db/tables.ts";
import { revokeCertificates } from "./certificates.service.ts";

export interface Credentials {
  hostID: string;
  organizationID: string;
  counter: number;
  signingKey: Buffer;
  /** The fingerprint of the certificate the host has with them. */
  certificate: string;
  /** The configuration without it. */
  config: string;
  configHash: string;
  /** What the configuration was made for. */
  nebulaVersion: string | undefined;
  sentHash: string;
  sentKind: "config" | "certificate";
  sentAt: Date;
  revision: number;
}

/** A configuration grows with its network's blocklist; then it is not worth keeping once for every host. */
const KEPT_LENGTH_MAX = 32 * 1024;

/** A host's peers notice its new certificate within seconds; until then, revoking the old one would cut it off. */
const LETTING_GO_MS = 60_000;

type Notes = Kysely<Pick<UnauditedTables, "hosts" | "host_credentials" | "host_certificates">>;

export const columnsOf = (credentials: Credentials) => ({
  signing_key: credentials.signingKey,
  certificate: credentials.certificate,
  config: credentials.config.length <= KEPT_LENGTH_MAX ? credentials.config : null,
  config_hash: credentials.configHash,
  nebula_version: credentials.nebulaVersion ?? null,
  sent_hash: credentials.sentHash,
  sent_kind: credentials.sentKind,
  sent_at: credentials.sentAt,
  revision: credentials.revision,
});

/** The next generation; one that was staged before is replaced. */
export async function stageCredentials(
  db: Pick<Kysely<Pick<UnauditedTables, "host_credentials">>, "insertInto">,
  credentials: Credentials,
): Promise<void> {
  const { hostID: host_id, organizationID: organization_id, counter } = credentials;
  const columns = columnsOf(credentials);
  await db
    .insertInto("host_credentials")
    .values({ host_id, organization_id, counter, ...columns })
    .onConflict((conflict) => conflict.columns(["host_id", "counter"]).doUpdateSet(columns))
    .execute();
}

/** The generation has been used: the host has it, and the certificate that came with it. */
export async function promoteCredentials(
  db: Notes,
  { hostID, counter, now }: { hostID: string; counter: number; now: Date },
  certificate: { fingerprint: string; caID: string; notAfter: Date } | undefined,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockHostForNoKeyUpdate(tx, hostID);
    const { numDeletedRows } = await tx
      .deleteFrom("host_credentials")
      .where("host_id", "=", hostID)
      .where("counter", "<", counter)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n || !certificate) return;
    if (!(await supersede(tx, { hostID, fingerprint: certificate.fingerprint, now }))) return;
    await tx
      .updateTable("hosts")
      .set({ ca_id: certificate.caID, certificate_expires_at: certificate.notAfter })
      .where("id", "=", hostID)
      .where("is_blocked", "=", false)
      .execute();
  });
}

const isWider = sql`not coalesce(
  older.groups <@ used.groups and older.unsafe_networks <@ used.unsafe_networks,
  older.identity_hash = used.identity_hash)`;

/** Whether of two certificates of a host, `older` and `used`, something is to be noted of the older one. */
export const isToBeSuperseded = sql<boolean>`
  older.fingerprint <> used.fingerprint and older.revoked_at is null and older.revoke_after is null
    and (older.superseded_at is null or ${isWider})`;

/**
 * Every other certificate of the host is one it had before. Those that let it do more than this one are to be
 * revoked, however long ago they were replaced; a mere renewal leaves none. Whether there were any.
 */
async function supersede(
  db: Notes,
  { hostID, fingerprint, now }: { hostID: string; fingerprint: string; now: Date },
): Promise<boolean> {
  const revokeAfter = new Date(now.getTime() + LETTING_GO_MS);
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

/** Nothing the hosts have opens anything any more. */
export async function revokeHostAccess(
  tx: Writer,
  { hostIDs, now }: { hostIDs: readonly string[]; now: Date },
): Promise<void> {
  await revokeCertificates(tx, { hostIDs, now });
  for (const table of [
    "host_credentials",
    "host_reports",
    "host_commands",
  ] as const satisfies (keyof Tables)[])
    await tx.deleteFrom(table).where("host_id", "in", hostIDs).execute();
  await tx
    .updateTable("hosts")
    .set({ ca_id: null, certificate_expires_at: null, is_online: false, is_drifted: false })
    .where("id", "in", hostIDs)
    .execute();
}
