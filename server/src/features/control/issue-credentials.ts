/** Issues the next certificates of hosts, and stages them with the configurations as the hosts' next credentials. */
import { renderConfig } from "@lightkeeper/nebula";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { IssueCertificates, IssuedCertificate } from "../../nouns/certificates/certificates.service.ts";
import { type Credentials, stageCredentials } from "../../nouns/certificates/credentials.service.ts";
import type { HostKeys } from "../agents/control-plane.ts";
import { type DesiredState, hashText } from "./compile.ts";
import type { Snapshot } from "./snapshot.ts";

export interface CredentialsToIssue {
  host: { id: string; organizationID: string; networkID: string; endpointExpiresAt: Date | null };
  snapshot: Snapshot;
  desired: DesiredState;
  keys: HostKeys;
  counter: number;
  nebulaVersion: string | undefined;
  now: Date;
}

export interface IssuedCredentials {
  certificate: IssuedCertificate;
  /** The configuration with the certificate. */
  yaml: string;
}

/** Takes effect with the caller's next statement. */
export async function issueCredentials(
  tx: Writer,
  issue: IssueCertificates,
  requests: readonly CredentialsToIssue[],
): Promise<IssuedCredentials[]> {
  const certificates = await issue(
    tx,
    requests.map(({ host, snapshot, desired, keys, now }) => ({
      host,
      identity: desired.identity,
      issuer: snapshot.issuer,
      secondIssuer: desired.secondIssuer,
      publicKey: keys.publicKey,
      now,
    })),
  );
  const issued = certificates.map((certificate, index) => {
    const { input } = requests[index]!.desired;
    return { certificate, yaml: renderConfig({ ...input, certificate: certificate.pem }).yaml };
  });
  await stageCredentials(
    tx,
    requests.map((request, index) => toCredentials(request, issued[index]!)),
  );
  return issued;
}

const toCredentials = (
  { host, snapshot, desired, keys, counter, nebulaVersion, now }: CredentialsToIssue,
  { certificate, yaml }: IssuedCredentials,
): Credentials => ({
  hostID: host.id,
  organizationID: host.organizationID,
  counter,
  signingKey: keys.signingKey,
  certificate: certificate.fingerprint,
  config: desired.yaml,
  configHash: desired.configHash,
  nebulaVersion,
  sentHash: hashText(yaml),
  sentKind: "certificate",
  sentAt: now,
  revision: snapshot.revision,
});
