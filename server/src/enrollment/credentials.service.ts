/**
 * What a host proves itself with: a signing key and the number of its generation. An update stages the next
 * one; whichever the host uses next shows whether the answer reached it. Until then the old one holds.
 */
import type { Kysely } from "kysely";
import type { Writer } from "../db/client.ts";
import type { BookkeepingTables, Tables } from "../db/tables.ts";
import { revokeCertificates } from "./certificates.service.ts";

export interface Credentials {
  hostID: string;
  organizationID: string;
  counter: number;
  signingKey: Buffer;
  /** The fingerprint of the certificate the host has with them. */
  certificate: string;
  configHash: string;
  sentHash: string;
  sentKind: "config" | "certificate";
  sentAt: Date;
  revision: number;
}

type Notes = Kysely<Pick<BookkeepingTables, "hosts" | "host_credentials" | "host_certificates">>;

const columnsOf = (credentials: Credentials) => ({
  signing_key: credentials.signingKey,
  certificate: credentials.certificate,
  config_hash: credentials.configHash,
  sent_hash: credentials.sentHash,
  sent_kind: credentials.sentKind,
  sent_at: credentials.sentAt,
  revision: credentials.revision,
});

/** The next generation; one that was staged before is replaced. */
export async function stageCredentials(
  db: Pick<Kysely<Pick<BookkeepingTables, "host_credentials">>, "insertInto">,
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
    // The host first, as those who block it do.
    await tx.selectFrom("hosts").select("id").where("id", "=", hostID).forNoKeyUpdate().execute();
    const { numDeletedRows } = await tx
      .deleteFrom("host_credentials")
      .where("host_id", "=", hostID)
      .where("counter", "<", counter)
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n || !certificate) return;
    const { numUpdatedRows } = await tx
      .updateTable("host_certificates")
      .set({ superseded_at: now })
      .where("host_id", "=", hostID)
      .where("fingerprint", "!=", certificate.fingerprint)
      .where("superseded_at", "is", null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return;
    await tx
      .updateTable("hosts")
      .set({ ca_id: certificate.caID, certificate_expires_at: certificate.notAfter })
      .where("id", "=", hostID)
      .where("is_blocked", "=", false)
      .execute();
  });
}

/** Nothing the hosts have opens anything any more. */
export async function voidHosts(
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
