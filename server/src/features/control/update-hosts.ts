/** DoUpdate and DoConfigUpdate: what a host should have now, and the next generation of its credentials. */
import type { SignedReply, UpdateRequest } from "@lightkeeper/contract/agent";
import { renderConfig } from "@lightkeeper/nebula";
import { findCallingHosts } from "../agents/calling-hosts.service.ts";
import type { AgentCall } from "../agents/control-plane.ts";
import { endpointOidcOf, isSignInExpired } from "../agents/endpoint-users.service.ts";
import type { Context } from "../../infrastructure/context/context.ts";
import { done, type AuditEntry } from "../../infrastructure/db/audited.ts";
import type { Writer } from "../../infrastructure/db/client.ts";
import { lockHostForNoKeyUpdate, lockNetworksOfHostsForNoKeyUpdate } from "../../infrastructure/db/locks.ts";
import type { IssueCertificate, IssuedCertificate } from "../../nouns/certificates/certificates.service.ts";
import { stageCredentials } from "../../nouns/certificates/credentials.service.ts";
import { createStaging } from "../../nouns/certificates/staging.service.ts";
import { readSigningKey, readTunnelKey } from "../../nouns/certificates/host-keys.ts";
import type { AnswerSigner } from "../../nouns/certificates/signing-keys.service.ts";
import { ApiError } from "../../infrastructure/errors/api-error.ts";
import { hashText } from "./compile.ts";
import type { DesiredStates } from "./desired-states.ts";
import { signed, toldOf } from "./replies.ts";
import type { Snapshots } from "./snapshots.ts";

export interface UpdateParts {
  snapshots: Snapshots;
  desired: DesiredStates;
  issue: IssueCertificate;
  signerOf: (db: Context["reader"], organizationID: string) => Promise<AnswerSigner>;
}

const gone = () => new ApiError("ERR_UNAUTHORIZED");

export function createHostUpdates(ctx: Context, parts: UpdateParts) {
  const { snapshots, issue, signerOf } = parts;
  const stage = createStaging(ctx.unaudited);

  async function whatIsDesired({ host, client }: AgentCall) {
    const snapshot = await snapshots.get(host.networkID, host.networkRevision);
    if (!snapshot) throw gone();
    const desired = parts.desired(snapshot, host, client.nebulaVersion);
    const endpointOIDC = await endpointOidcOf(ctx.reader, host);
    return { snapshot, desired, endpointOIDC, signer: await signerOf(ctx.reader, host.organizationID) };
  }

  async function renew(call: AgentCall, request: UpdateRequest): Promise<SignedReply> {
    const signingKey = readSigningKey(request.edPubkeyPEM, "edPubkeyPEM");
    const publicKey = readTunnelKey(request.dhPubkeyPEM, "dhPubkeyPEM");
    return ctx.audited(async (tx) => {
      // Nobody changes the network or its authorities until the certificate is there.
      await lockNetworksOfHostsForNoKeyUpdate(tx, [call.host.networkID]);
      const host = await lockCaller(tx, call);
      const { now } = call;
      requireCurrentSignIn(host, now);
      const { snapshot, desired, endpointOIDC, signer } = await whatIsDesired({ ...call, host });
      const { identity } = desired;
      const certificate = await issue(tx, { host, identity, issuer: snapshot.issuer, publicKey, now });
      const { yaml } = renderConfig({ ...desired.input, certificate: certificate.pem });
      const counter = host.counter + 1;
      await stageCredentials(tx, {
        hostID: host.id,
        organizationID: host.organizationID,
        counter,
        signingKey,
        certificate: certificate.fingerprint,
        config: desired.yaml,
        configHash: desired.configHash,
        nebulaVersion: call.client.nebulaVersion,
        sentHash: hashText(yaml),
        sentKind: "certificate",
        sentAt: now,
        revision: snapshot.revision,
      });
      const told = toldOf({ snapshot, host, yaml, counter, signer, endpointOIDC });
      return done(signed({ ...told, nonce: request.nonce }, signer), renewal(call, certificate));
    });
  }

  async function configure(call: AgentCall, request: UpdateRequest): Promise<SignedReply> {
    const signingKey = readSigningKey(request.edPubkeyPEM, "edPubkeyPEM");
    const { host, now } = call;
    requireCurrentSignIn(host, now);
    const { snapshot, desired, endpointOIDC, signer } = await whatIsDesired(call);
    const counter = host.counter + 1;
    const isStaged = await stage({
      hostID: host.id,
      organizationID: host.organizationID,
      counter,
      signingKey,
      config: desired.yaml,
      configHash: desired.configHash,
      nebulaVersion: call.client.nebulaVersion,
      sentHash: desired.configHash,
      sentKind: "config",
      sentAt: now,
      revision: snapshot.revision,
    });
    if (!isStaged) throw gone();
    const told = toldOf({ snapshot, host, yaml: desired.yaml, counter, signer, endpointOIDC });
    return signed({ ...told, nonce: request.nonce }, signer);
  }

  const sign = async ({ host }: AgentCall, reply: { loginURL: string }): Promise<SignedReply> =>
    signed(reply, await signerOf(ctx.reader, host.organizationID));

  return { renew, configure, sign };
}

/** Whoever has to sign in again first gets nothing new until then. */
export function requireCurrentSignIn(host: Parameters<typeof isSignInExpired>[0], now: Date): void {
  if (isSignInExpired(host, now)) throw new ApiError("ERR_HOST_SIGN_IN_EXPIRED");
}

/** The host may have been blocked or deleted since its request was authenticated. */
async function lockCaller(tx: Writer, { host }: AgentCall) {
  await lockHostForNoKeyUpdate(tx, host.id);
  const [current] = await findCallingHosts(tx, [{ hostID: host.id, counter: host.counter }]);
  if (!current) throw gone();
  return current;
}

const renewal = ({ host }: AgentCall, issued: IssuedCertificate): AuditEntry => ({
  organizationID: host.organizationID,
  actor: { type: "host", id: host.id, name: host.name },
  target: { type: "host", id: host.id },
  event: "RENEWED",
  before: host.certificate ? auditCertificate(host.certificate.fingerprint, host.certificate.notAfter) : null,
  after: auditCertificate(issued.fingerprint, issued.notAfter),
  networkID: host.networkID,
});

export const auditCertificate = (fingerprint: string, notAfter: Date) => ({
  fingerprint,
  expiresAt: notAfter.toISOString(),
});
