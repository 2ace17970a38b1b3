// Encodes and decodes version 1 certificates. Verifiers encode the details again before they check the
// signature, so decoding accepts only the canonical encoding. Signing is in ca.ts.

import { isCidr, maskToPrefixLength, prefixLengthToMask } from "./addresses.ts";
import type { Cidr } from "./addresses.ts";
import { ByteWriter, decodeText, toHex } from "./bytes.ts";
import {
  FINGERPRINT,
  check,
  checkSignature,
  isUnicode,
  assertCanonical,
  toSeconds,
} from "./certificate-parts.ts";
import type { CommonDetails } from "./certificate-parts.ts";
import { curveFormats, curveOf } from "./curves.ts";
import { FormatError } from "./format-error.ts";
import * as protobuf from "./protobuf.ts";

export interface DetailsV1 extends CommonDetails {
  /** On a host exactly one: its address with its network's mask. On a CA what it may sign; none is no limit. */
  readonly networks: readonly Cidr[];
  readonly unsafeNetworks: readonly Cidr[];
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
  curve: 100,
};

/** Truncates times to seconds. The result shares no arrays with the input. */
export function normalizeDetailsV1(details: DetailsV1): DetailsV1 {
  return {
    ...details,
    networks: [...details.networks],
    unsafeNetworks: [...details.unsafeNetworks],
    groups: [...details.groups],
    notBefore: new Date(toSeconds(details.notBefore) * 1000),
    notAfter: new Date(toSeconds(details.notAfter) * 1000),
    publicKey: new Uint8Array(details.publicKey),
  };
}

/** The encoded details are the bytes that are signed. */
export function encodeDetailsV1(details: DetailsV1): Uint8Array {
  checkDetails(details);
  const writer = new ByteWriter();
  if (details.name !== "") writeText(writer, DETAILS.name, details.name);
  writeCidrs(writer, DETAILS.networks, details.networks);
  writeCidrs(writer, DETAILS.unsafeNetworks, details.unsafeNetworks);
  for (const group of details.groups) writeText(writer, DETAILS.groups, group);
  protobuf.writeNumber(writer, DETAILS.notBefore, toSeconds(details.notBefore));
  protobuf.writeNumber(writer, DETAILS.notAfter, toSeconds(details.notAfter));
  protobuf.writeField(writer, DETAILS.publicKey, () => writer.bytes(details.publicKey));
  protobuf.writeNumber(writer, DETAILS.isCa, details.isCa ? 1 : 0);
  const { issuer } = details;
  if (issuer !== undefined) protobuf.writeField(writer, DETAILS.issuer, () => writer.hex(issuer));
  protobuf.writeNumber(writer, DETAILS.curve, curveFormats[curveOf(details.publicKey)].number);
  return writer.finish();
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
  assertCanonical(encodeDetailsV1(details), bytes);
  return details;
}

export function encodeCertificateV1(certificate: CertificateV1): Uint8Array {
  checkSignature(certificate.signature, certificate.details.publicKey);
  return joinCertificateV1(encodeDetailsV1(certificate.details), certificate.signature);
}

/** Encodes a certificate from encoded details and a checked signature. */
export function joinCertificateV1(encodedDetails: Uint8Array, signature: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  protobuf.writeField(writer, CERTIFICATE.details, () => writer.bytes(encodedDetails));
  protobuf.writeField(writer, CERTIFICATE.signature, () => writer.bytes(signature));
  return writer.finish();
}

export function decodeCertificateV1(bytes: Uint8Array): CertificateV1 {
  const fields = protobuf.readFields(bytes);
  const certificate: CertificateV1 = {
    details: decodeDetailsV1(lastBytes(fields, CERTIFICATE.details)),
    signature: lastBytes(fields, CERTIFICATE.signature),
  };
  assertCanonical(encodeCertificateV1(certificate), bytes);
  return certificate;
}

function checkDetails(details: DetailsV1): void {
  const { name, networks, unsafeNetworks, groups, isCa, issuer } = details;
  check(isUnicode(name), "a name must be Unicode text");
  check(
    groups.every((group) => group !== "" && isUnicode(group)),
    "a group must be Unicode text",
  );
  check([...networks, ...unsafeNetworks].every(isCidr), "a network must be an IPv4 network");
  check(toSeconds(details.notBefore) >= 0, "a certificate must start in 1970 or later");
  check(
    toSeconds(details.notAfter) >= toSeconds(details.notBefore),
    "a certificate must not expire before it starts",
  );
  if (isCa) {
    check(issuer === undefined, "a CA must not have an issuer");
  } else {
    check(issuer !== undefined && FINGERPRINT.test(issuer), "a host's issuer must be a fingerprint");
    check(networks.length === 1 && networks[0]?.address !== 0, "a host must have exactly one address");
  }
}

// Returns an empty value for a field of the wrong type, and the last of repeated fields: the comparison with the
// canonical form rejects both.
function lastBytes(fields: protobuf.ProtobufFields, field: number): Uint8Array {
  const value = fields.get(field)?.at(-1);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function lastNumber(fields: protobuf.ProtobufFields, field: number): number {
  const value = fields.get(field)?.at(-1);
  return typeof value === "number" ? value : 0;
}

function writeText(writer: ByteWriter, field: number, text: string): void {
  protobuf.writeField(writer, field, () => writer.text(text));
}

function writeCidrs(writer: ByteWriter, field: number, cidrs: readonly Cidr[]): void {
  if (cidrs.length === 0) return;
  protobuf.writeField(writer, field, () => {
    for (const { address, prefixLength } of cidrs) {
      protobuf.writeVarint(writer, address);
      protobuf.writeVarint(writer, prefixLengthToMask(prefixLength));
    }
  });
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
