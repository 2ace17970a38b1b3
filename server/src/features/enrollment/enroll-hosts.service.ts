/** Exchanges enrollment codes for the certificates, configurations and credentials of hosts. */
import type { EnrollReply, EnrollRequest } from "@lightkeeper/contract/agent";
import type { Curve } from "@lightkeeper/nebula";
import type { Selectable } from "kysely";
import type { Context } from "../../infrastructure/context/context.ts";
import { done, type Outcome } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import {
  lockEnrollingHostsForUpdate,
  lockNetworkOfHostForNoKeyUpdate,
} from "../../infrastructure/db/locks.ts";
import type { Tables } from "../../infrastructure/db/tables.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { addressSubject, consume, limitByIP, refundAttempts } from "../../infrastructure/http/rate-limit.ts";
import { createBatchPerKey } from "../../infrastructure/scheduling/batch.ts";
import { runAs } from "../../infrastructure/scheduling/work-class.ts";
import { auditCertificate } from "../../nouns/certificates/certificates.service.ts";
import { readSigningKey, readTunnelKey } from "../../nouns/certificates/host-keys.ts";
import {
  type CodeOwner,
  deleteEnrollmentCodes,
  findCodeOwners,
} from "../../nouns/enrollment-codes/enrollment-codes.service.ts";
import { recordEnrollments, revokePreviousEnrollment } from "../../nouns/hosts/host-access.service.ts";
import { bumpRevisions } from "../../nouns/networks/revisions.service.ts";
import type { ControlPlane, HostKeys, Provisioned } from "../agents/control-plane.ts";
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

interface Enrolling {
  request: EnrollRequest;
  call: EnrollmentCall;
  owner: CodeOwner;
}

const ENROLLED_TOGETHER_MAX = 100;

/** The transaction was rolled back because of one of the hosts. */
const isRejection = (error: unknown) => error instanceof ApiError;

/**
 * Hosts of one network that enroll for the first time at about the same time share transactions. If one of them is
 * rejected, they enroll one by one.
 */
export function createEnrollment(ctx: Context, control: Pick<ControlPlane, "provision">): EnrollHost {
  const findOwner = createCodeFinder(ctx);
  const enroll = createBatchPerKey(batchOf, {
    work: (enrolling: Enrolling[]) =>
      ctx.audited((tx) => enrollTogether(tx, control, enrolling), { isRepeated: enrolling.length > 1 }),
    keyOf: ({ owner }) => owner.host_id,
    isItemError: isRejection,
    max: ENROLLED_TOGETHER_MAX,
  });
  return async (request, call) => {
    const owner = await findOwner({ code: request.code, now: call.now, ip: call.ip });
    if (!owner) throw wrongCode();
    return runAs(owner.organization_id, () => enroll({ request, call, owner }));
  };
}

/** A host that enrolls again changes the network, and does so alone. */
const batchOf = ({ owner }: Enrolling) => (owner.is_enrolled ? owner.host_id : owner.network_id);

interface SentCode {
  code: string;
  now: Date;
  ip: string;
}

/** Counts the attempts of each address; correct codes don't count. */
function createCodeFinder(ctx: Context): (sent: SentCode) => Promise<CodeOwner | undefined> {
  return createBatchPerKey(({ ip }: SentCode) => addressSubject(ip), {
    work: async (sent) => {
      const [{ now, ip }] = sent as [SentCode, ...SentCode[]];
      const limit = limitByIP(ctx.config, "enrollment", ip);
      await consume(ctx.unaudited, now, [limit], sent.length);
      const codes = sent.map(({ code }) => code);
      const owners = await findCodeOwners(ctx.reader, codes, now);
      const correctCount = owners.filter((owner) => owner !== undefined).length;
      if (correctCount > 0) await refundAttempts(ctx.unaudited, limit, correctCount);
      return owners;
    },
    isItemError: isRejection,
    max: ENROLLED_TOGETHER_MAX,
  });
}

/** The hosts are in one network. Returns their replies in the same order. */
async function enrollTogether(
  tx: Writer,
  control: Pick<ControlPlane, "provision">,
  enrolling: readonly Enrolling[],
): Promise<Outcome<EnrollReply[]>> {
  const [{ owner, call }] = enrolling as [Enrolling, ...Enrolling[]];
  const { now } = call;
  const { network_id: networkID, organization_id: organizationID } = owner;
  const revision = await lockNetwork(tx, owner);
  const rows = await lockEnrollableHosts(tx, enrolling, now);
  if (owner.is_enrolled && (await revokePreviousEnrollment(tx, { hostID: owner.host_id, now })))
    await bumpRevisions(tx, organizationID, [networkID]);
  const hosts = enrolling.map(({ request, call: { client } }, index) => ({
    row: rows[index]!,
    keysOf: (curve: Curve) => readKeys(request, curve),
    client,
  }));
  const network = { id: networkID, organizationID, revision };
  const provisioned = await control.provision(tx, { network, hosts, now });
  if (!provisioned) throw wrongCode();
  const enrolled = provisioned.map((host, index) => ({ ...host, ...enrolling[index]!.call }));
  await recordAll(tx, enrolled, now);
  const [first, ...further] = enrolled.map(enrollmentEntry);
  return done(
    enrolled.map(({ row, reply }) => ({ hostID: row.id, ...reply })),
    first!,
    ...further,
  );
}

type EnrolledHost = Provisioned & EnrollmentCall;

async function recordAll(tx: Writer, enrolled: readonly EnrolledHost[], now: Date): Promise<void> {
  await deleteEnrollmentCodes(
    tx,
    enrolled.map(({ row }) => row.id),
  );
  for (const { row, ip } of enrolled) {
    const { name, organization_id: organizationID, endpoint_oidc_user_id: endpointUserID } = row;
    await notifyDeviceOwner(tx, { endpointUserID, organizationID, name, ip, now });
  }
  const enrollments = enrolled.map(({ row, issuerID, certificate, client }) => ({
    hostID: row.id,
    caID: issuerID,
    certificateExpiresAt: certificate.notAfter,
    agent: client,
  }));
  await recordEnrollments(tx, enrollments, now);
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

/** Returns the revision if it stays the same: a host that enrolls again changes the blocklist, and so the network. */
async function lockNetwork(tx: Writer, { network_id, is_enrolled }: CodeOwner): Promise<number | undefined> {
  const network = await lockNetworkOfHostForNoKeyUpdate(tx, network_id);
  return is_enrolled ? undefined : network?.revision;
}

/** Returns the rows in the order of the requests. */
async function lockEnrollableHosts(
  tx: Writer,
  enrolling: readonly Enrolling[],
  now: Date,
): Promise<HostRow[]> {
  const ids = enrolling.map(({ owner }) => owner.host_id);
  const locked = new Map((await lockEnrollingHostsForUpdate(tx, ids)).map((row) => [row.id, row]));
  const codes = enrolling.map(({ request }) => request.code);
  const owners = await findCodeOwners(tx, codes, now);
  return enrolling.map(({ owner }, index) => {
    const row = locked.get(owner.host_id);
    if (!row || owners[index]?.host_id !== owner.host_id) throw wrongCode();
    // Enrolled with another code meanwhile: the network is locked for the wrong purpose.
    if (row.is_enrolled !== owner.is_enrolled) throw new ApiError("ERR_UNAVAILABLE");
    if (row.is_blocked) throw new ApiError("ERR_HOST_BLOCKED");
    requireCurrentSignIn({ endpointExpiresAt: row.endpoint_expires_at }, now);
    return row;
  });
}

const enrollmentEntry = ({ row, certificate, ip }: EnrolledHost) => ({
  organizationID: row.organization_id,
  actor: { type: "host", id: row.id, name: row.name } as const,
  address: ip,
  target: { type: "host", id: row.id } as const,
  event: "ENROLLED" as const,
  before: null,
  after: auditCertificate(certificate.fingerprint, certificate.notAfter),
  networkID: row.network_id,
});
