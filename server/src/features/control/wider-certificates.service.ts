/**
 * Revokes certificates with a role, a tag or a subnet that the host no longer has. The certificate in use is never
 * revoked: the host must have used the credentials of the new one and, if it reports, must run it. A host that never
 * fetches the new certificate has to be blocked.
 */
import type { Context } from "../../infrastructure/context/context.ts";
import { type AuditEntry, done } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import { lockHostsForNoKeyUpdate, lockNetworksForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { auditCertificate, revokeFingerprints } from "../../nouns/certificates/certificates.service.ts";
import { bumpRevisions } from "../../nouns/networks/revisions.service.ts";
import { runsSentConfig } from "./waiting-hosts.queries.ts";

const BATCH_SIZE = 5000;

const dueCertificates = (db: Reader, now: Date) =>
  db
    .selectFrom("host_certificates as older")
    .innerJoin("hosts", "hosts.id", "older.host_id")
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("host_credentials")
          .select("sent_hash")
          .whereRef("host_credentials.host_id", "=", "hosts.id")
          .orderBy("counter")
          .limit(1)
          .as("used"),
      (join) => join.onTrue(),
    )
    .leftJoin("host_reports as report", "report.host_id", "hosts.id")
    .where("older.revoke_after", "<=", now)
    .where("older.revoked_at", "is", null)
    .where("older.not_after", ">", now)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("host_credentials as current")
            .select("current.host_id")
            .whereRef("current.certificate", "=", "older.fingerprint"),
        ),
      ),
    )
    .where(runsSentConfig);

/** Another process revoked the certificates, or their hosts changed. */
class NothingDueError extends Error {}

export async function revokeWiderCertificates(ctx: Context): Promise<void> {
  const now = ctx.clock();
  const networks = await dueCertificates(ctx.reader, now)
    .select(["older.organization_id as organizationID", "older.network_id as networkID"])
    .distinct()
    .execute();
  for (const network of networks) {
    try {
      await ctx.audited(async (tx) => done({}, ...(await revokeInNetwork(tx, network, now))));
    } catch (error) {
      if (!(error instanceof NothingDueError)) throw error;
    }
  }
}

interface Network {
  organizationID: string;
  networkID: string;
}

async function revokeInNetwork(
  tx: Writer,
  { organizationID, networkID }: Network,
  now: Date,
): Promise<[AuditEntry, ...AuditEntry[]]> {
  await lockNetworksForNoKeyUpdate(tx, organizationID, [networkID]);
  const findDue = () =>
    dueCertificates(tx, now)
      .select(["older.fingerprint", "older.host_id as hostID", "older.not_after as notAfter"])
      .where("older.network_id", "=", networkID)
      .orderBy("older.host_id")
      .orderBy("older.fingerprint")
      .limit(BATCH_SIZE)
      .execute();
  // A host may start to use another certificate until it is locked.
  const hostIDs = [...new Set((await findDue()).map(({ hostID }) => hostID))];
  await lockHostsForNoKeyUpdate(tx, hostIDs);
  const locked = new Set(hostIDs);
  const due = (await findDue()).filter(({ hostID }) => locked.has(hostID));
  const certificatesByHost = new Map<string, object[]>();
  for (const { hostID, fingerprint, notAfter } of due)
    certificatesByHost.set(hostID, [
      ...(certificatesByHost.get(hostID) ?? []),
      auditCertificate(fingerprint, notAfter),
    ]);
  const [first, ...rest] = certificatesByHost;
  if (!first) throw new NothingDueError();
  await bumpRevisions(tx, organizationID, [networkID]);
  await revokeFingerprints(tx, {
    fingerprints: due.map(({ fingerprint }) => fingerprint),
    now,
  });
  const entry = ([hostID, revokedCertificates]: [string, object[]]): AuditEntry => ({
    organizationID,
    actor: { type: "system" },
    target: { type: "host", id: hostID },
    event: "UPDATED",
    before: null,
    after: { revokedCertificates },
    networkID,
  });
  return [entry(first), ...rest.map(entry)];
}
