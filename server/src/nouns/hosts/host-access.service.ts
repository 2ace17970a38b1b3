/** What a host row says about enrollment and the certificate in use. */
import { sql } from "kysely";
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { executeWithNext } from "../../infrastructure/db/driver.ts";
import { revokeCertificates } from "../certificates/certificates.service.ts";
import { deleteCredentials } from "../certificates/credentials.service.ts";
import { deleteCommandsOfHosts } from "../host-commands/host-commands.service.ts";
import { deleteReports } from "./host-reports.service.ts";
import { deleteRevisions, insertRevisions } from "./host-revisions.service.ts";

export interface Enrollment {
  hostID: string;
  caID: string;
  certificateExpiresAt: Date;
  agent: { name: string; version: string | null };
}

/**
 * The last change of the transaction: hosts of a network that enroll at the same time wait for each other from here on,
 * because they are counted together. Takes effect with the caller's next statement.
 */
export async function recordEnrollments(
  tx: Writer,
  enrollments: readonly Enrollment[],
  now: Date,
): Promise<void> {
  const hostIDs = enrollments.map(({ hostID }) => hostID);
  await insertRevisions(tx, { hostIDs, now });
  await executeWithNext(
    tx,
    tx
      .updateTable("host_presence")
      .set({ last_seen_at: now })
      .where(sql<boolean>`host_id = any(${hostIDs}::text[])`),
  );
  const values = enrollments.map(({ hostID, caID, certificateExpiresAt, agent }) => ({
    id: hostID,
    ca_id: caID,
    certificate_expires_at: certificateExpiresAt,
    agent_name: agent.name,
    agent_version: agent.version,
  }));
  await executeWithNext(
    tx,
    sql`
      update hosts set enrolled_at = ${now}, ca_id = enrolled.ca_id,
          certificate_expires_at = enrolled.certificate_expires_at, is_drifted = false, is_online = true,
          agent_name = enrolled.agent_name, agent_version = enrolled.agent_version
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as enrolled (id text, ca_id text,
          certificate_expires_at timestamptz, agent_name text, agent_version text)
        where hosts.id = enrolled.id`,
  );
}

export async function recordCertificateInUse(
  db: UnauditedWriter,
  hostID: string,
  { caID, notAfter }: { caID: string; notAfter: Date },
): Promise<void> {
  await db
    .updateTable("hosts")
    .set({ ca_id: caID, certificate_expires_at: notAfter })
    .where("id", "=", hostID)
    .where("is_blocked", "=", false)
    .execute();
}

/** Hosts that a forced rotation did not wait for have no trusted certificate until they request a new one. */
export async function clearCertificatesOfCa(
  tx: Writer,
  { networkID, caID }: { networkID: string; caID: string },
): Promise<void> {
  await tx
    .updateTable("hosts")
    .set({ ca_id: null, certificate_expires_at: null })
    .where("network_id", "=", networkID)
    .where("ca_id", "=", caID)
    .execute();
}

/** Revokes the certificates and credentials of the hosts; each has to enroll again. */
export async function revokeHostAccess(
  tx: Writer,
  { hostIDs, now }: { hostIDs: readonly string[]; now: Date },
): Promise<void> {
  await revokeCertificates(tx, { hostIDs, now });
  await deleteCredentials(tx, hostIDs);
  await deleteReports(tx, hostIDs);
  await deleteRevisions(tx, hostIDs);
  await deleteCommandsOfHosts(tx, hostIDs);
  await tx
    .updateTable("hosts")
    .set({ ca_id: null, certificate_expires_at: null, is_online: false, is_drifted: false })
    .where("id", "in", hostIDs)
    .execute();
}

/** Returns whether a certificate was revoked, which changes the blocklist of the network. */
export async function revokePreviousEnrollment(
  tx: Writer,
  { hostID, now }: { hostID: string; now: Date },
): Promise<boolean> {
  const revokedCount = await revokeCertificates(tx, { hostIDs: [hostID], now });
  await deleteCredentials(tx, [hostID]);
  await deleteReports(tx, [hostID]);
  await deleteRevisions(tx, [hostID]);
  return revokedCount > 0;
}
