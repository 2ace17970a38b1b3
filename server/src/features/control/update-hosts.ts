/** DoUpdate and DoConfigUpdate: send the desired configuration and stage the host's next credentials. */
import type { SignedReply, UpdateRequest } from "@lightkeeper/contract/agent";
import { type Curve, curveOf } from "@lightkeeper/nebula";
import { findCallingHosts } from "../agents/calling-hosts.service.ts";
import type { AgentCall, HostKeys } from "../agents/control-plane.ts";
import { endpointOidcOf, requireCurrentSignIn } from "../agents/endpoint-users.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { done, type AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockHostForNoKeyUpdate, lockNetworksOfHostsForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import {
  auditCertificate,
  type IssueCertificates,
  type IssuedCertificate,
} from "../../nouns/certificates/certificates.service.ts";
import { createStaging, type StagedCredentials } from "../../nouns/certificates/staging.service.ts";
import { readSigningKey, readTunnelKey } from "../../nouns/certificates/host-keys.ts";
import type { ReplySigner } from "../../nouns/certificates/signing-keys.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import type { DesiredState } from "./compile.ts";
import type { DesiredStates } from "./desired-states.ts";
import { issueCredentials } from "./issue-credentials.ts";
import { hasDesiredIdentity } from "./needed-updates.ts";
import { buildReply, signReply } from "./replies.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Snapshots } from "./snapshots.ts";

export interface UpdateParts {
  snapshots: Snapshots;
  desired: DesiredStates;
  issue: IssueCertificates;
  signerOf: (db: Context["reader"], organizationID: string, curve: Curve) => Promise<ReplySigner>;
}

/** The host or its credentials no longer exist. */
const unauthorized = () => new ApiError("ERR_UNAUTHORIZED");

export function createHostUpdates(ctx: Context, parts: UpdateParts) {
  const { snapshots, issue, signerOf } = parts;
  const stage = createStaging(ctx.unaudited);

  async function findDesired({ host, client }: AgentCall) {
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) throw unauthorized();
    const desired = parts.desired(snapshot, host, client.nebulaVersion);
    const endpointOIDC = await endpointOidcOf(ctx.reader, host);
    const signer = await signerOf(ctx.reader, host.organizationID, snapshot.curve);
    return { snapshot, desired, endpointOIDC, signer };
  }

  async function renew(call: AgentCall, request: UpdateRequest): Promise<SignedReply> {
    const { now } = call;
    return ctx.audited(async (tx) => {
      // Keeps the network and its CAs unchanged until the certificate is stored.
      await lockNetworksOfHostsForNoKeyUpdate(tx, [call.host.networkID]);
      const host = await lockCaller(tx, call);
      requireCurrentSignIn(host, now);
      const { snapshot, desired, endpointOIDC, signer } = await findDesired({ ...call, host });
      const keys = readKeys(request, snapshot.curve);
      const counter = host.counter + 1;
      const next = { ...call.client, host, snapshot, desired, keys, counter, now };
      const [issued] = await issueCredentials(tx, issue, [next]);
      const { certificate, yaml } = issued!;
      const reply = buildReply({ snapshot, host, yaml, counter, signer, endpointOIDC });
      return done(signReply({ ...reply, nonce: request.nonce }, signer), renewalEntry(call, certificate));
    });
  }

  async function configure(call: AgentCall, request: UpdateRequest): Promise<SignedReply> {
    const { host, client, now } = call;
    requireCurrentSignIn(host, now);
    const { snapshot, endpointOIDC, signer, ...found } = await findDesired(call);
    const desired = hasDesiredIdentity(host, found.desired, snapshot)
      ? found.desired
      : parts.desired(withoutInitiatingVersion(snapshot), host, client.nebulaVersion);
    const signingKey = readNewSigningKey(request, snapshot.curve);
    const counter = host.counter + 1;
    if (!(await stage(stagedConfig(call, { signingKey, counter, snapshot, desired })))) throw unauthorized();
    const reply = buildReply({ snapshot, host, yaml: desired.yaml, counter, signer, endpointOIDC });
    return signReply({ ...reply, nonce: request.nonce }, signer);
  }

  const sign = async ({ host }: AgentCall, reply: { loginURL: string }): Promise<SignedReply> =>
    signReply(reply, await signerOf(ctx.reader, host.organizationID, curveOf(host.signingKey)));

  return { renew, configure, sign };
}

const readNewSigningKey = (request: UpdateRequest, curve: Curve): Buffer =>
  curve === "P256"
    ? readSigningKey({ curve, base64: request.p256HostPubkeyPEM, path: "p256HostPubkeyPEM" })
    : readSigningKey({ curve, base64: request.edPubkeyPEM, path: "edPubkeyPEM" });

const readKeys = (request: UpdateRequest, curve: Curve): HostKeys => ({
  signingKey: readNewSigningKey(request, curve),
  publicKey:
    curve === "P256"
      ? readTunnelKey({ curve, base64: request.p256NebulaPubkeyPEM, path: "p256NebulaPubkeyPEM" })
      : readTunnelKey({ curve, base64: request.dhPubkeyPEM, path: "dhPubkeyPEM" }),
});

/** Nebula crashes if it should use a version that the host has no certificate of. */
const withoutInitiatingVersion = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  upgrade: snapshot.upgrade && { ...snapshot.upgrade, initiatingVersion: undefined },
});

interface ConfigToStage {
  signingKey: Buffer;
  counter: number;
  snapshot: Snapshot;
  desired: DesiredState;
}

const stagedConfig = (
  { host, client, now }: AgentCall,
  { signingKey, counter, snapshot, desired }: ConfigToStage,
): StagedCredentials => ({
  hostID: host.id,
  organizationID: host.organizationID,
  counter,
  signingKey,
  config: desired.yaml,
  configHash: desired.configHash,
  nebulaVersion: client.nebulaVersion,
  sentHash: desired.configHash,
  sentKind: "config",
  sentAt: now,
  revision: snapshot.revision,
});

/** The host may have been blocked or deleted since its request was authenticated. */
async function lockCaller(tx: Writer, { host }: AgentCall) {
  await lockHostForNoKeyUpdate(tx, host.id);
  const generation = { hostID: host.id, counter: host.counter };
  const [current] = await findCallingHosts(tx, [generation], host.readAt);
  if (!current) throw unauthorized();
  return current;
}

const renewalEntry = ({ host }: AgentCall, issued: IssuedCertificate): AuditEntry => ({
  organizationID: host.organizationID,
  actor: { type: "host", id: host.id, name: host.name },
  target: { type: "host", id: host.id },
  event: "RENEWED",
  before: host.certificate ? auditCertificate(host.certificate.fingerprint, host.certificate.notAfter) : null,
  after: auditCertificate(issued.fingerprint, issued.notAfter),
  networkID: host.networkID,
});
