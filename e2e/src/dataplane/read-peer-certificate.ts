import { type Client, runHostCommand } from "@lightkeeper/contract";
import type { OverlayHost } from "./overlay-host.ts";

export interface PeerCertificate {
  /** Missing without a tunnel. */
  details?: { name: string; groups: string[]; ips: string[] };
  fingerprint: string;
}

/** The certificate of the tunnel that a host has with an overlay address. */
export async function readPeerCertificate(
  call: Client,
  { id }: OverlayHost,
  target: string,
): Promise<PeerCertificate> {
  const body = { command: "PrintCert" as const, args: { target } };
  return (await call(runHostCommand, { params: { hostID: id }, body })) as PeerCertificate;
}
