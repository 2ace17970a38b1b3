/** What a host row says about enrollment and the certificate in use. */
import type { UnauditedWriter, Writer } from "../../infrastructure/db/client.ts";
import { executeWithNext } from "../../infrastructure/db/driver.ts";
import { revokeCertificates } from "../certificates/certificates.service.ts";
import { deleteCredentials } from "../certificates/credentials.service.ts";
import { deleteCommandsOfHosts } from "../host-commands/host-commands.service.ts";
import { deleteReports } from "./host-reports.service.ts";
import { deleteRevisions, insertRevision } from "./host-revisions.service.ts";

export interface Enrollment {
  hostID: string;
  caID: string;
  certificateExpiresAt: Date;
  agent: { name: string; version: string | null };
  now: Date;
}

/**
 * The last change of the transaction: hosts of a network that enroll at the same time wait for each other from here on,
 * because they are counted together. Takes effect with the caller's next statement.
 */
export async function recordEnrollment(
  tx: Writer,
  { hostID, caID, certificateExpiresAt, agent, now }: Enrollment,
): Promise<void> {
  await insertRevision(tx, { hostID, now });
  await executeWithNext(
    tx,
    tx.updateTable("host_presence").set({ last_seen_at: now }).where("host_id", "=", hostID),
  );
  const update = tx
    .updateTable("hosts")
    .set({
      enrolled_at: now,
      ca_id: caID,
      certificate_expires_at: certificateExpiresAt,
      is_drifted: false,
      is_online: true,
      agent_name: agent.name,
      agent_version: agent.version,
    })
    .where("id", "=", hostID);
  await executeWithNext(tx, update);
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
