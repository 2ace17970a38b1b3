import type { Selectable } from "kysely";
/** A code, once, for an identity. */
import type { EnrollReply, EnrollRequest } from "@lightkeeper/contract/agent";
import { renderConfig } from "@lightkeeper/nebula";
import { notifyDeviceOwner } from "../agents/device-notice.ts";
import { endpointOidcOf } from "../agents/endpoint-users.service.ts";
import type { Client } from "../agents/user-agent.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { hashToken } from "../../infrastructure/crypto/tokens.ts";
import { done } from "../../infrastructure/db/audited.ts";
import type { Reader, Writer } from "../../infrastructure/db/client.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { lockHostForUpdate, lockNetworksOfHostsForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import { revokeCertificates } from "../../nouns/certificates/certificates.service.ts";
import { stageCredentials } from "../../nouns/certificates/credentials.service.ts";
import { readSigningKey, readTunnelKey } from "../../nouns/certificates/host-keys.ts";
import { ensureSigningKey } from "../../nouns/certificates/signing-keys.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { consume, refundAttempt, limitByIP } from "../../infrastructure/http/rate-limit.ts";
import { bumpRevisions } from "../../nouns/networks/revisions.service.ts";
import { runAs } from "../../infrastructure/scheduling/work-class.ts";
import { desiredState, hashText } from "./compile.ts";
import { toCompiled } from "./compiled-host.ts";
import { toldOf } from "./replies.ts";
import { readSnapshot } from "./snapshot.ts";
import { auditCertificate, requireCurrentSignIn, type UpdateParts } from "./update-hosts.ts";

const FIRST_COUNTER = 1;

export interface EnrollFrom {
  client: Client;
  now: Date;
  ip: string;
}

interface Issued {
  host_id: string;
  network_id: string;
  organization_id: string;
}

/** One entry and nothing else: that is how clients know it. */
const wrongCode = () =>
  new ApiError("ERR_INVALID_VALUE", { path: "code", message: "the code is wrong, used or expired" });

/** Whose code it is, while it holds. A blocked host's does until the host is unblocked. */
async function findCode(db: Reader, code: string, now: Date): Promise<Issued | undefined> {
  return db
    .selectFrom("enrollment_codes")
    .innerJoin("hosts", "hosts.id", "enrollment_codes.host_id")
    .select(["enrollment_codes.host_id", "hosts.network_id", "hosts.organization_id"])
    .where("code_hash", "=", hashToken(code))
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

export function createEnrollment(ctx: Context, { issue, signerOf }: Pick<UpdateParts, "issue" | "signerOf">) {
  return async (request: EnrollRequest, from: EnrollFrom): Promise<EnrollReply> => {
    const { now, ip } = from;
    const limit = limitByIP(ctx.config, "enrollment", ip);
    await consume(ctx.unaudited, now, [limit]);
    const found = await findCode(ctx.reader, request.code, now);
    if (!found) throw wrongCode();
    await refundAttempt(ctx.unaudited, limit);
    return runAs(found.organization_id, () =>
      ctx.audited((tx) => enroll(tx, request, found, from), { address: ip }),
    );
  };

  async function enroll(tx: Writer, request: EnrollRequest, found: Issued, { client, now, ip }: EnrollFrom) {
    await lockNetworksOfHostsForNoKeyUpdate(tx, [found.network_id]);
    const row = await lockHostForUpdate(tx, found.host_id);
    if (!row || !(await findCode(tx, request.code, now))) throw wrongCode();
    if (row.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
    const endpoint = {
      endpointUserID: row.endpoint_oidc_user_id,
      endpointExpiresAt: row.endpoint_expires_at,
    };
    requireCurrentSignIn(endpoint, now);
    const signingKey = readSigningKey(request.edPubkey, "edPubkey");
    const publicKey = readTunnelKey(request.dhPubkey, "dhPubkey");
    const { organization_id: organizationID, network_id: networkID } = row;
    await ensureSigningKey(ctx, tx, { organizationID, now });
    await revokeOlder(tx, row, now);
    const snapshot = await readSnapshot(tx, networkID, now);
    if (!snapshot) throw wrongCode();
    const host = toCompiled(row);
    const desired = desiredState(snapshot, host, client.nebulaVersion);
    const certificate = await issue(tx, {
      host: { id: host.id, organizationID, networkID, endpointExpiresAt: row.endpoint_expires_at },
      identity: desired.identity,
      issuer: snapshot.issuer,
      publicKey,
      now,
    });
    const { yaml } = renderConfig({ ...desired.input, certificate: certificate.pem });
    await stageCredentials(tx, {
      hostID: host.id,
      organizationID,
      counter: FIRST_COUNTER,
      signingKey,
      certificate: certificate.fingerprint,
      config: desired.yaml,
      configHash: desired.configHash,
      nebulaVersion: client.nebulaVersion,
      sentHash: hashText(yaml),
      sentKind: "certificate",
      sentAt: now,
      revision: snapshot.revision,
    });
    await tx
      .updateTable("hosts")
      .set({
        enrolled_at: now,
        ca_id: snapshot.issuer.id,
        certificate_expires_at: certificate.notAfter,
        is_drifted: false,
        is_online: true,
        agent_name: client.name,
        agent_version: client.version,
      })
      .where("id", "=", host.id)
      .execute();
    await tx.updateTable("host_presence").set({ last_seen_at: now }).where("host_id", "=", host.id).execute();
    await tx.deleteFrom("enrollment_codes").where("host_id", "=", host.id).execute();
    const { endpointUserID } = endpoint;
    await notifyDeviceOwner(tx, { endpointUserID, organizationID, name: row.name, ip, now });
    const signer = await signerOf(tx, organizationID);
    const endpointOIDC = await endpointOidcOf(tx, endpoint);
    const told = toldOf({ snapshot, host, yaml, counter: FIRST_COUNTER, signer, endpointOIDC });
    return done({ hostID: host.id, ...told }, enrolled(row, certificate));
  }
}

type HostRow = Selectable<Tables["hosts"]>;

/** What the host had before is good for nothing from now on, and everybody is to know. */
async function revokeOlder(tx: Writer, { id, organization_id, network_id }: HostRow, now: Date) {
  const revoked = await revokeCertificates(tx, { hostIDs: [id], now });
  if (revoked > 0) await bumpRevisions(tx, organization_id, [network_id]);
  for (const table of ["host_credentials", "host_reports"] as const)
    await tx.deleteFrom(table).where("host_id", "=", id).execute();
}

const enrolled = (
  { id, name, organization_id, network_id }: HostRow,
  { fingerprint, notAfter }: { fingerprint: string; notAfter: Date },
) => ({
  organizationID: organization_id,
  actor: { type: "host", id, name } as const,
  target: { type: "host", id } as const,
  event: "ENROLLED" as const,
  before: null,
  after: auditCertificate(fingerprint, notAfter),
  networkID: network_id,
});
