/** The certificates in `pki.cert`: since Nebula 1.10 one of each version, before only one of version 1. */
import {
  curveOf,
  decodeCertificateV1,
  decodeCertificateV2,
  decodePem,
  formatCidr,
  formatIpPrefix,
  splitPemBlocks,
} from "@lightkeeper/nebula";
import type { Curve } from "@lightkeeper/nebula";

export interface HostCertificate {
  readonly version: 1 | 2;
  readonly curve: Curve;
  /** Addresses with their networks' prefix lengths, in the certificate's order. */
  readonly networks: readonly string[];
}

/** Returns undefined if the text contains anything else than certificates of different versions. */
export function readHostCertificates(text: string): HostCertificate[] | undefined {
  try {
    const certificates = splitPemBlocks(text)?.map(readCertificate) ?? [];
    const versions = new Set(certificates.map(({ version }) => version));
    return versions.size > 0 && versions.size === certificates.length ? certificates : undefined;
  } catch {
    return undefined;
  }
}

function readCertificate(pem: string): HostCertificate {
  if (pem.startsWith("-----BEGIN NEBULA CERTIFICATE V2-----")) {
    const { details } = decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", pem));
    return {
      version: 2,
      curve: curveOf(details.publicKey),
      networks: details.networks.map(formatIpPrefix),
    };
  }
  const { details } = decodeCertificateV1(decodePem("NEBULA CERTIFICATE", pem));
  return { version: 1, curve: curveOf(details.publicKey), networks: details.networks.map(formatCidr) };
}

/**
 * Whether a running nebula takes over the certificates. It keeps the addresses of its interface, so a certificate with
 * another first address needs a restart, even if nebula would accept it.
 */
export function canReplaceCertificates(
  before: readonly HostCertificate[],
  after: readonly HostCertificate[],
): boolean {
  const find = (certificates: readonly HostCertificate[], version: 1 | 2) =>
    certificates.find((certificate) => certificate.version === version);
  const [v1Before, v2Before] = [find(before, 1), find(before, 2)];
  const [v1After, v2After] = [find(after, 1), find(after, 2)];
  const isSameHost = (one: HostCertificate | undefined, other: HostCertificate | undefined) =>
    one?.curve === other?.curve && one?.networks[0] === other?.networks[0];
  return (
    isSameHost(before[0], after[0]) &&
    (!v1Before || !v1After || hasSameNetworks(v1Before, v1After)) &&
    // Without version 2, nebula would lose the addresses that only version 2 has.
    (!v2Before || hasSameNetworks(v2Before, v2After ?? v1After))
  );
}

function hasSameNetworks(one: HostCertificate, other: HostCertificate | undefined): boolean {
  return one.networks.join() === other?.networks.join();
}
