/** What a host is told about itself, at enrollment and with every update. */
import type { EnrollReply, SignedReply, UpdateReply } from "@lightkeeper/contract/agent";
import type { AnswerSigner } from "../../nouns/certificates/signing-keys.service.ts";
import type { CompiledHost } from "./compile.ts";
import type { Snapshot } from "./snapshot.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

export interface Told {
  snapshot: Snapshot;
  host: CompiledHost;
  yaml: string;
  counter: number;
  signer: AnswerSigner;
  endpointOIDC: EnrollReply["endpointOIDC"];
}

export const toldOf = ({
  snapshot,
  host,
  yaml,
  counter,
  signer,
  endpointOIDC,
}: Told): Omit<EnrollReply, "hostID"> & Omit<UpdateReply, "nonce"> => ({
  config: base64(yaml),
  counter,
  trustedKeys: base64(signer.trustedKeys),
  organization: { id: snapshot.organizationID, name: snapshot.organizationName },
  network: {
    id: snapshot.networkID,
    name: snapshot.networkName,
    curve: snapshot.curve,
    cidr: snapshot.cidr,
    cidrs: [snapshot.cidr],
  },
  host: { id: host.id, name: host.name, ipAddress: host.address, ipAddresses: [host.address] },
  endpointOIDC,
});

/** Signed are the bytes themselves, not their base64. */
export function signed(reply: UpdateReply | { loginURL: string }, signer: AnswerSigner): SignedReply {
  const bytes = Buffer.from(JSON.stringify(reply));
  return {
    version: 1,
    message: bytes.toString("base64"),
    signature: signer.sign(bytes).toString("base64"),
  };
}
