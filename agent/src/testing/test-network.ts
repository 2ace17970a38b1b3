/** A network for tests: its CA, certificates, and configurations like the server's. */
import { DAY_MS, MINUTE_MS } from "@lightkeeper/contract/durations";
import { decodePem, parseIpPrefix, parseIpv4, renderConfig } from "@lightkeeper/nebula";
import type { ConfigInput, Curve } from "@lightkeeper/nebula";
import { createCa, createSigner } from "@lightkeeper/nebula/signing";
import type { CertificateAuthority } from "@lightkeeper/nebula/signing";

export const ADDRESS = "100.100.0.2";

export interface IssueOptions {
  readonly name?: string;
  readonly address?: string;
  readonly groups?: string[];
}

export interface TestNetwork {
  readonly curve: Curve;
  readonly caPem: string;
  /** Of another CA, which issues version 2 certificates. */
  readonly caV2Pem: string;
  issue(publicKeyPem: string, options?: IssueOptions): string;
  /** A version 2 certificate; by default with the address of a version 1 certificate only. */
  issueV2(publicKeyPem: string, networks?: readonly string[], name?: string): string;
}

export function createNetwork(curve: Curve = "25519"): TestNetwork {
  const now = Date.now();
  const validity = { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + 9 * DAY_MS) };
  const [ca, caV2] = ([1, 2] as const).map((certificateVersion) =>
    createCa({ name: "test", ...validity, certificateVersion, curve }),
  ) as [CertificateAuthority, CertificateAuthority];
  const [signer, signerV2] = [createSigner(ca.privateKey, curve), createSigner(caV2.privateKey, curve)];
  const banner = curve === "25519" ? "NEBULA X25519 PUBLIC KEY" : "NEBULA P256 PUBLIC KEY";
  const detailsOf = (publicKeyPem: string) => ({
    unsafeNetworks: [],
    notBefore: new Date(now - MINUTE_MS),
    notAfter: new Date(now + DAY_MS),
    publicKey: decodePem(banner, publicKeyPem),
    isCa: false,
  });
  return {
    curve,
    caPem: ca.certificatePem,
    caV2Pem: caV2.certificatePem,
    issue: (publicKeyPem, { name = "web-1", address = ADDRESS, groups = [] } = {}) =>
      signer.issueV1({
        ...detailsOf(publicKeyPem),
        name,
        networks: [{ address: parseIpv4(address) ?? 0, prefixLength: 22 }],
        groups,
        issuer: ca.fingerprint,
      }).pem,
    issueV2: (publicKeyPem, networks = [`${ADDRESS}/22`], name = "web-1") =>
      signerV2.issueV2({
        ...detailsOf(publicKeyPem),
        name,
        networks: networks.flatMap((network) => parseIpPrefix(network) ?? []),
        groups: [],
        issuer: caV2.fingerprint,
      }).pem,
  };
}

/** With certificates of either version or both. The tunnel device is disabled, so that real nebula runs without root. */
export function configFor(
  network: TestNetwork,
  certificate: string | undefined,
  changes: Partial<ConfigInput> = {},
): string {
  const { yaml } = renderConfig({
    nebulaVersion: "1.6.1",
    network: { cidrs: ["100.100.0.0/22"], lighthousesAsRelays: false },
    host: {
      addresses: [ADDRESS],
      staticAddresses: [],
      listenPort: 0,
      isLighthouse: false,
      isRelay: false,
      configOverrides: [],
    },
    lighthouses: [],
    relays: [],
    roleRules: [{ protocol: "ICMP" }],
    tags: [],
    trustedCas: [network.caPem, network.caV2Pem],
    blocklist: [],
    routesServed: [],
    routesSubscribed: [],
    ...changes,
  });
  const cert = certificate === undefined ? "" : `  cert: |\n${certificate.replace(/^(?=.)/gm, "    ")}`;
  return yaml.replace("  blocklist:", `${cert}  blocklist:`).replace("tun:\n", "tun:\n  disabled: true\n");
}
