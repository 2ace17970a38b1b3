/** Exchanges an enrollment code for a host's certificate, configuration and credentials. */
import type { EnrollReply, EnrollRequest } from "@lightkeeper/contract/agent";
import type { Curve } from "@lightkeeper/nebula";
import type { Selectable } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockHostForUpdate,
  lockNetworkOfHostForShare,
  lockNetworksOfHostsForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { consume, limitByIP, refundAttempt } from "../../infrastructure/http/rate-limit.ts";
import { runAs } from "../../infrastructure/scheduling/work-class.ts";
import { auditCertificate, type IssuedCertificate } from "../../nouns/certificates/certificates.service.ts";
import { readSigningKey, readTunnelKey } from "../../nouns/certificates/host-keys.ts";
import {
  type CodeOwner,
  deleteEnrollmentCodes,
  findCodeOwner,
} from "../../nouns/enrollment-codes/enrollment-codes.service.ts";
import { recordEnrollment, revokePreviousEnrollment } from "../../nouns/hosts/host-access.service.ts";
import { bumpRevisions } from "../../nouns/networks/revisions.service.ts";
import type { ControlPlane, HostKeys } from "../agents/control-plane.ts";
import { requireCurrentSignIn } from "../agents/endpoint-users.service.ts";
import type { Client } from "../agents/user-agent.ts";
import { notifyDeviceOwner } from "./device-notice.ts";

export interface EnrollmentCall {
  client: Client;
  now: Date;
  ip: string;
}

type HostRow = Selectable<Tables["hosts"]>;

/** Clients recognize a wrong code by this one error. */
const wrongCode = () =>
  new ApiError("ERR_INVALID_VALUE", { path: "code", message: "the code is wrong, used or expired" });

export type EnrollHost = (request: EnrollRequest, call: EnrollmentCall) => Promise<EnrollReply>;

export function createEnrollment(ctx: Context, control: Pick<ControlPlane, "provision">): EnrollHost {
  return async (request, call) => {
    const { now, ip } = call;
    const limit = limitByIP(ctx.config, "enrollment", ip);
    await consume(ctx.unaudited, now, [limit]);
    const owner = await findCodeOwner(ctx.reader, request.code, now);
    if (!owner) throw wrongCode();
    await refundAttempt(ctx.unaudited, limit);
    return runAs(owner.organization_id, () =>
      ctx.audited((tx) => enroll(tx, request, owner, call), { address: ip }),
    );
  };

  async function enroll(
    tx: Writer,
    request: EnrollRequest,
    owner: CodeOwner,
    { client, now, ip }: EnrollmentCall,
  ): Promise<Outcome<EnrollReply>> {
    const networkRevision = await lockNetwork(tx, owner);
    const row = await lockEnrollableHost(tx, request.code, owner, now);
    const { id: hostID, organization_id: organizationID, name } = row;
    if (owner.is_enrolled && (await revokePreviousEnrollment(tx, { hostID, now })))
      await bumpRevisions(tx, organizationID, [row.network_id]);
    const keysOf = (curve: Curve) => readKeys(request, curve);
    const provisioned = await control.provision(tx, { row, keysOf, client, networkRevision, now });
    if (!provisioned) throw wrongCode();
    const { certificate, issuerID, reply } = provisioned;
    await deleteEnrollmentCodes(tx, [hostID]);
    await notifyDeviceOwner(tx, {
      endpointUserID: row.endpoint_oidc_user_id,
      organizationID,
      name,
      ip,
      now,
    });
    await recordEnrollment(tx, {
      hostID,
      caID: issuerID,
      certificateExpiresAt: certificate.notAfter,
      agent: client,
      now,
    });
    return done({ hostID, ...reply }, enrollmentEntry(row, certificate));
  }
}

/** The request contains keys of both curves. */
const readKeys = (request: EnrollRequest, curve: Curve): HostKeys =>
  curve === "P256"
    ? {
        signingKey: readSigningKey({ curve, base64: request.hostPubkeyP256, path: "hostPubkeyP256" }),
        publicKey: readTunnelKey({ curve, base64: request.nebulaPubkeyP256, path: "nebulaPubkeyP256" }),
      }
    : {
        signingKey: readSigningKey({ curve, base64: request.edPubkey, path: "edPubkey" }),
        publicKey: readTunnelKey({ curve, base64: request.dhPubkey, path: "dhPubkey" }),
      };

/**
 * A host that enrolls again changes the blocklist, and so the network. Hosts that enroll for the first time don't wait
 * for each other. Returns the revision if it stays the same.
 */
async function lockNetwork(tx: Writer, { network_id, is_enrolled }: CodeOwner): Promise<number | undefined> {
  if (!is_enrolled) return (await lockNetworkOfHostForShare(tx, network_id))?.revision;
  await lockNetworksOfHostsForNoKeyUpdate(tx, [network_id]);
  return undefined;
}

async function lockEnrollableHost(tx: Writer, code: string, owner: CodeOwner, now: Date): Promise<HostRow> {
  const row = await lockHostForUpdate(tx, owner.host_id);
  if (!row || !(await findCodeOwner(tx, code, now))) throw wrongCode();
  // Enrolled with another code meanwhile: the network is locked for the wrong purpose.
  if (row.is_enrolled !== owner.is_enrolled) throw new ApiError("ERR_UNAVAILABLE");
  if (row.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
  requireCurrentSignIn({ endpointExpiresAt: row.endpoint_expires_at }, now);
  return row;
}

const enrollmentEntry = (
  { id, name, organization_id, network_id }: HostRow,
  { fingerprint, notAfter }: IssuedCertificate,
) => ({
  organizationID: organization_id,
  actor: { type: "host", id, name } as const,
  target: { type: "host", id } as const,
  event: "ENROLLED" as const,
  before: null,
  after: auditCertificate(fingerprint, notAfter),
  networkID: network_id,
});
