/** The part of a reply that describes the host, at enrollment and with every update. */
import type { SignedReply, UpdateReply } from "@lightkeeper/contract/agent";
import type { ReplySigner } from "../../nouns/certificates/signing-keys.service.ts";
import type { CompiledHost } from "../agents/compiled-host.ts";
import type { HostReply } from "../agents/control-plane.ts";
import type { Snapshot } from "./snapshot.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");

export interface ReplyParts {
  snapshot: Snapshot;
  host: CompiledHost;
  yaml: string;
  counter: number;
  signer: ReplySigner;
  endpointOIDC: HostReply["endpointOIDC"];
}

export const buildReply = ({
  snapshot,
  host,
  yaml,
  counter,
  signer,
  endpointOIDC,
}: ReplyParts): HostReply => ({
  config: base64(yaml),
  counter,
  trustedKeys: base64(signer.trustedKeys),
  organization: { id: snapshot.organizationID, name: snapshot.organizationName },
  network: {
    id: snapshot.networkID,
    name: snapshot.networkName,
    curve: snapshot.curve,
    cidr: snapshot.cidrs[0] ?? "",
    cidrs: snapshot.cidrs,
  },
  host: { id: host.id, name: host.name, ipAddress: host.addresses[0] ?? "", ipAddresses: host.addresses },
  endpointOIDC,
});

/** Signs the bytes of the message, not their base64. */
export function signReply(reply: UpdateReply | { loginURL: string }, signer: ReplySigner): SignedReply {
  const bytes = Buffer.from(JSON.stringify(reply));
  return {
    version: 1,
    message: bytes.toString("base64"),
    signature: signer.sign(bytes).toString("base64"),
  };
}
