// Version 1 certificates with curve 25519, as bytes and as values. Verifiers marshal the details anew before
// they check the signature, so only the one canonical encoding counts: it is what is written here, and
// reading refuses anything else. Signing is in ca.ts.

import { isCidr, maskToPrefixLength, prefixLengthToMask } from "./addresses.ts";
import type { Cidr } from "./addresses.ts";
import { FormatError } from "./format-error.ts";
import * as protobuf from "./protobuf.ts";

export interface DetailsV1 {
  readonly name: string;
  /** On a host exactly one: its address with its network's mask. On a CA what it may sign; none is no limit. */
  readonly networks: readonly Cidr[];
  readonly unsafeNetworks: readonly Cidr[];
  readonly groups: readonly string[];
  /** Certificates know whole seconds: the rest is cut off. */
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: Uint8Array;
  readonly isCa: boolean;
  /** The CA's fingerprint in lower-case hex; undefined on a CA. */
  readonly issuer: string | undefined;
}

export interface CertificateV1 {
  readonly details: DetailsV1;
  readonly signature: Uint8Array;
}

const CERTIFICATE = { details: 1, signature: 2 };
const DETAILS = {
  name: 1,
  networks: 2,
  unsafeNetworks: 3,
  groups: 4,
  notBefore: 5,
  notAfter: 6,
  publicKey: 7,
  isCa: 8,
  issuer: 9,
};
const PUBLIC_KEY_LENGTH = 32;
const SIGNATURE_LENGTH = 64;
const FINGERPRINT = /^[0-9a-f]{64}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The bytes that are signed. */
export function encodeDetailsV1(details: DetailsV1): Uint8Array {
  checkDetails(details);
  return protobuf.concatBytes([
    protobuf.optionalBytesField(DETAILS.name, encodeText(details.name)),
    protobuf.optionalBytesField(DETAILS.networks, encodeCidrs(details.networks)),
    protobuf.optionalBytesField(DETAILS.unsafeNetworks, encodeCidrs(details.unsafeNetworks)),
    ...details.groups.map((group) => protobuf.bytesField(DETAILS.groups, encodeText(group))),
    protobuf.numberField(DETAILS.notBefore, toSeconds(details.notBefore)),
    protobuf.numberField(DETAILS.notAfter, toSeconds(details.notAfter)),
    protobuf.bytesField(DETAILS.publicKey, details.publicKey),
    protobuf.numberField(DETAILS.isCa, details.isCa ? 1 : 0),
    protobuf.optionalBytesField(DETAILS.issuer, fromHex(details.issuer ?? "")),
  ]);
}

export function decodeDetailsV1(bytes: Uint8Array): DetailsV1 {
  const fields = protobuf.readFields(bytes);
  const issuer = toHex(lastBytes(fields, DETAILS.issuer));
  const details: DetailsV1 = {
    name: decodeText(lastBytes(fields, DETAILS.name)),
    networks: decodeCidrs(lastBytes(fields, DETAILS.networks)),
    unsafeNetworks: decodeCidrs(lastBytes(fields, DETAILS.unsafeNetworks)),
    groups: (fields.get(DETAILS.groups) ?? []).filter((value) => typeof value !== "number").map(decodeText),
    notBefore: new Date(lastNumber(fields, DETAILS.notBefore) * 1000),
    notAfter: new Date(lastNumber(fields, DETAILS.notAfter) * 1000),
    publicKey: lastBytes(fields, DETAILS.publicKey),
    isCa: lastNumber(fields, DETAILS.isCa) === 1,
    issuer: issuer === "" ? undefined : issuer,
  };
  requireSame(encodeDetailsV1(details), bytes);
  return details;
}

export function encodeCertificateV1(certificate: CertificateV1): Uint8Array {
  if (certificate.signature.length !== SIGNATURE_LENGTH) {
    throw new FormatError(`a signature must have ${SIGNATURE_LENGTH} bytes`);
  }
  return protobuf.concatBytes([
    protobuf.bytesField(CERTIFICATE.details, encodeDetailsV1(certificate.details)),
    protobuf.bytesField(CERTIFICATE.signature, certificate.signature),
  ]);
}

export function decodeCertificateV1(bytes: Uint8Array): CertificateV1 {
  const fields = protobuf.readFields(bytes);
  const certificate: CertificateV1 = {
    details: decodeDetailsV1(lastBytes(fields, CERTIFICATE.details)),
    signature: lastBytes(fields, CERTIFICATE.signature),
  };
  requireSame(encodeCertificateV1(certificate), bytes);
  return certificate;
}

function checkDetails(details: DetailsV1): void {
  const { name, networks, unsafeNetworks, groups, isCa, issuer } = details;
  check(!LONE_SURROGATE.test(name), "a name must be Unicode text");
  check(!groups.some((group) => group === "" || LONE_SURROGATE.test(group)), "a group must be Unicode text");
  check([...networks, ...unsafeNetworks].every(isCidr), "a network must be an IPv4 network");
  check(toSeconds(details.notBefore) >= 0, "a certificate must begin in 1970 or later");
  check(
    toSeconds(details.notAfter) >= toSeconds(details.notBefore),
    "a certificate must not end before it begins",
  );
  check(details.publicKey.length === PUBLIC_KEY_LENGTH, `a public key must have ${PUBLIC_KEY_LENGTH} bytes`);
  if (isCa) {
    check(issuer === undefined, "a CA must not have an issuer");
  } else {
    check(issuer !== undefined && FINGERPRINT.test(issuer), "a host's issuer must be a fingerprint");
    check(networks.length === 1 && networks[0]?.address !== 0, "a host must have exactly one address");
  }
}

function check(holds: boolean, rule: string): void {
  if (!holds) throw new FormatError(rule);
}

function requireSame(canonical: Uint8Array, bytes: Uint8Array): void {
  if (canonical.length !== bytes.length || canonical.some((byte, index) => byte !== bytes[index])) {
    throw new FormatError("the certificate has unknown fields or is not in canonical form");
  }
}

// A field of the wrong kind counts as absent, and of several the last counts: comparing with the canonical
// form refuses both.
function lastBytes(fields: protobuf.ProtobufFields, field: number): Uint8Array {
  const value = fields.get(field)?.at(-1);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function lastNumber(fields: protobuf.ProtobufFields, field: number): number {
  const value = fields.get(field)?.at(-1);
  return typeof value === "number" ? value : 0;
}

function encodeCidrs(cidrs: readonly Cidr[]): Uint8Array {
  const pairs = cidrs.flatMap(({ address, prefixLength }) => [address, prefixLengthToMask(prefixLength)]);
  return protobuf.writeVarints(pairs);
}

function decodeCidrs(bytes: Uint8Array): Cidr[] {
  const numbers = protobuf.readVarints(bytes);
  const cidrs: Cidr[] = [];
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const [address = 0, mask = 0] = numbers.slice(index, index + 2);
    const prefixLength = maskToPrefixLength(mask);
    if (prefixLength === undefined) throw new FormatError("a network's mask has gaps");
    cidrs.push({ address, prefixLength });
  }
  return cidrs;
}

function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FormatError("a name or group is not UTF-8");
  }
}

function toSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) =>
    parseInt(text.slice(index * 2, index * 2 + 2), 16),
  );
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
