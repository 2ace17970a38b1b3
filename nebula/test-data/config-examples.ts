// The configuration inputs of each kind of host in one network. Each has the address, certificate and key of the version
// 1 test vector, so that the real nebula accepts the configuration.

import { encodeCertificateV1 } from "../src/certificate-v1.ts";
import { CA_VECTOR, HOST_VECTOR, bytes } from "./certificate-v1-vectors.ts";
import type { ConfigInput } from "../src/config.ts";
import { encodePem } from "../src/pem.ts";

export const KEY_PATH = "/etc/nebula/host.key";
export const HOST_PRIVATE_KEY = new Uint8Array(32).fill(2);
export const SERVED_CIDR = "192.168.14.0/26";

const OTHER_LIGHTHOUSE = {
  addresses: ["100.100.0.1"],
  staticAddresses: ["localhost:4242", "192.0.2.1:4242"],
};
const OTHER_RELAY = { addresses: ["100.100.0.2"], staticAddresses: ["192.0.2.2:4242"] };
const SELF = { addresses: ["100.100.0.29"], staticAddresses: ["192.0.2.29:4242"] };

const host: ConfigInput = {
  nebulaVersion: "1.11.0",
  network: { cidrs: ["100.100.0.0/22"], lighthousesAsRelays: false },
  host: {
    addresses: SELF.addresses,
    staticAddresses: [],
    listenPort: 0,
    isLighthouse: false,
    isRelay: false,
    configOverrides: [],
  },
  lighthouses: [OTHER_LIGHTHOUSE],
  relays: [OTHER_RELAY],
  roleRules: [
    { protocol: "ICMP" },
    { protocol: "TCP", portRange: { from: 443, to: 443 }, allowedRoleID: "role-WEB" },
  ],
  tags: [
    {
      name: "env:prod",
      priority: 6,
      configOverrides: [{ key: "logging.level", value: "warning" }],
      firewallRules: [
        { protocol: "UDP", portRange: { from: 5000, to: 5010 }, allowedTags: ["env:prod", "no:1e3"] },
      ],
    },
  ],
  trustedCas: [pem(CA_VECTOR)],
  certificate: pem(HOST_VECTOR),
  keyPath: KEY_PATH,
  blocklist: [],
  routesServed: [],
  routesSubscribed: [],
};

export const EXAMPLES = {
  host,
  lighthouse: {
    ...host,
    network: { ...host.network, lighthousesAsRelays: true },
    host: {
      ...host.host,
      ...SELF,
      listenPort: 4242,
      isLighthouse: true,
      configOverrides: [{ key: "lighthouse.serve_dns", value: true }],
    },
    lighthouses: [OTHER_LIGHTHOUSE, SELF],
    blocklist: ["ab".repeat(32), "0f".repeat(32)],
  },
  relay: {
    ...host,
    host: { ...host.host, ...SELF, listenPort: 4242, isRelay: true },
    relays: [OTHER_RELAY, SELF],
  },
  router: {
    ...host,
    routesServed: [
      {
        id: "route-OFFICE",
        routableCIDRs: { [SERVED_CIDR]: { install: true } },
        firewallRules: [
          {
            protocol: "TCP",
            portRange: { from: 22, to: 22 },
            allowedRoleID: "role-OPS",
            allowedTags: ["env:prod"],
          },
          { protocol: "ANY", localCIDR: "192.168.14.8/29", allowedRoleID: "role-OPS" },
        ],
      },
    ],
  },
  subscriber: {
    ...host,
    routesSubscribed: [
      {
        id: "route-A",
        routerAddresses: ["100.100.0.8"],
        routableCIDRs: { "10.8.0.0/16": { install: true }, "10.9.0.0/16": { install: false } },
      },
      {
        id: "route-B",
        routerAddresses: ["100.100.0.9"],
        routableCIDRs: { "10.8.0.0/16": { install: true } },
      },
    ],
  },
} as const satisfies Record<string, ConfigInput>;

function pem(vector: typeof CA_VECTOR): string {
  const certificate = { details: vector.details, signature: bytes(vector.signatureHex) };
  return encodePem("NEBULA CERTIFICATE", encodeCertificateV1(certificate));
}
