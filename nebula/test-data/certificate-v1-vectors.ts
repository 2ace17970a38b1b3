// A CA (seed 32 × 01) and a host (X25519 private key 32 × 02), with the same bytes as Nebula creates.

import type { DetailsV1 } from "../src/certificate-v1.ts";

export const CA_SEED = new Uint8Array(32).fill(1);

const CA_PUBLIC_KEY = "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c";
const CA_FINGERPRINT = "39dd0eff650be99c00556894c105abe1f9abac24bea74b9afc20af9c374c7acd";
const HOST_PUBLIC_KEY = "ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59";

interface Vector {
  details: DetailsV1;
  detailsHex: string;
  signatureHex: string;
  fingerprint: string;
}

export const CA_VECTOR: Vector = {
  details: {
    name: "test-ca",
    networks: [],
    unsafeNetworks: [],
    groups: [],
    notBefore: new Date(1_700_000_000_000),
    notAfter: new Date(2_000_000_000_000),
    publicKey: bytes(CA_PUBLIC_KEY),
    isCa: true,
    issuer: undefined,
  },
  detailsHex: `0a07746573742d63612880e2cfaa063080a8d6b9073a20${CA_PUBLIC_KEY}4001`,
  signatureHex:
    "913f66a913afd26bd90e6d047b07f6953822e2eb3ab0b812d8c0201ffb041ba3" +
    "c06d50e97eaf54702deb9f3bb30c2c5cd0154fe2fb5be7f5a0eb624e63da8709",
  fingerprint: CA_FINGERPRINT,
};

export const HOST_VECTOR: Vector = {
  details: {
    name: "host-a",
    networks: [{ address: 0x6464001d, prefixLength: 22 }],
    unsafeNetworks: [{ address: 0xc0a80e00, prefixLength: 26 }],
    groups: ["role:abc", "tag:env:prod"],
    notBefore: new Date(1_700_000_001_000),
    notAfter: new Date(1_999_999_999_000),
    publicKey: bytes(HOST_PUBLIC_KEY),
    isCa: false,
    issuer: CA_FINGERPRINT,
  },
  detailsHex:
    "0a06686f73742d61120a9d8090a30680f8ffff0f1a0a809ca0850cc0ffffff0f2208726f6c653a616263220c7461673a656e763a70726f64" +
    `2881e2cfaa0630ffa7d6b9073a20${HOST_PUBLIC_KEY}4a20${CA_FINGERPRINT}`,
  signatureHex:
    "6ad13edea38fa070e861c6975f8387a2ea437a81297beecf21c666135000c1c1" +
    "756ff260bcc216ed7b9da886caf5f140e86964c4d0f75b0ff26eb7bf712e4a0c",
  fingerprint: "9597f9bd25049390eb7f1fefb85e203312419c2b2ab4579941929b09058f64b9",
};

export function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "hex"));
}

export function hex(value: Uint8Array): string {
  return Buffer.from(value).toString("hex");
}
