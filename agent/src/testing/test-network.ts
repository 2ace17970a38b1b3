/** A network for tests: its CA, certificates, and configurations like the server's. */
import { DAY_MS, MINUTE_MS } from "@lightkeeper/contract/durations";
import { decodePem, parseIpv4, renderConfig } from "@lightkeeper/nebula";
import type { ConfigInput } from "@lightkeeper/nebula";
import { createCa, createSigner } from "@lightkeeper/nebula/signing";

export const ADDRESS = "100.100.0.2";

export interface TestNetwork {
  readonly caPem: string;
  issue(publicKeyPem: string, options?: { name?: string; address?: string; groups?: string[] }): string;
}

export function createNetwork(): TestNetwork {
  const now = Date.now();
  const ca = createCa({
    name: "test",
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + 9 * DAY_MS),
  });
  const signer = createSigner(ca.privateKey);
  return {
    caPem: ca.certificatePem,
    issue: (publicKeyPem, { name = "web-1", address = ADDRESS, groups = [] } = {}) =>
      signer.issueV1({
        name,
        networks: [{ address: parseIpv4(address) ?? 0, prefixLength: 22 }],
        unsafeNetworks: [],
        groups,
        notBefore: new Date(now - MINUTE_MS),
        notAfter: new Date(now + DAY_MS),
        publicKey: decodePem("NEBULA X25519 PUBLIC KEY", publicKeyPem),
        isCa: false,
        issuer: ca.fingerprint,
      }).pem,
  };
}

/** The tunnel device is disabled, so that real nebula runs without root. */
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
    trustedCas: [network.caPem],
    certificate,
    blocklist: [],
    routesServed: [],
    routesSubscribed: [],
    ...changes,
  });
  return yaml.replace("tun:\n", "tun:\n  disabled: true\n");
}
