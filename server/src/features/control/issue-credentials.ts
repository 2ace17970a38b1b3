/** Issues a host's next certificate, and stages it with the configuration as the host's next credentials. */
import { renderConfig } from "@lightkeeper/nebula";
import type { Writer } from "../../infrastructure/db/client.ts";
import type { IssueCertificate, IssuedCertificate } from "../../nouns/certificates/certificates.service.ts";
import { stageCredentials } from "../../nouns/certificates/credentials.service.ts";
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

export async function issueCredentials(
  tx: Writer,
  issue: IssueCertificate,
  { host, snapshot, desired, keys, counter, nebulaVersion, now }: CredentialsToIssue,
): Promise<{ certificate: IssuedCertificate; yaml: string }> {
  const certificate = await issue(tx, {
    host,
    identity: desired.identity,
    issuer: snapshot.issuer,
    secondIssuer: desired.secondIssuer,
    publicKey: keys.publicKey,
    now,
  });
  const { yaml } = renderConfig({ ...desired.input, certificate: certificate.pem });
  await stageCredentials(tx, {
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
  return { certificate, yaml };
}
