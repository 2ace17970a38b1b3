// Encodes and decodes version 2 certificates. Decoding accepts only the canonical encoding. Signing is in ca.ts.

import { ByteWriter, concatBytes, decodeText, encodeText, toHex } from "./bytes.ts";
import { writeElement, writeInteger, readElements, readInteger } from "./der.ts";
import type { DerElement } from "./der.ts";
import { compareIpPrefixes, isIpPrefix, isIpv4, isZeroAddress } from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";
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

export interface DetailsV2 extends CommonDetails {
  /** 1 to 253 bytes. */
  readonly name: string;
  /** A host's addresses, each with its network's prefix length; or the networks a CA may sign, where none means any. */
  readonly networks: readonly IpPrefix[];
  readonly unsafeNetworks: readonly IpPrefix[];
}

export interface CertificateV2 {
  readonly details: DetailsV2;
  readonly signature: Uint8Array;
}

const TAG = {
  sequence: 0x30,
  octets: 0x04,
  text: 0x0c,
  details: 0xa0,
  name: 0x80,
  networks: 0xa1,
  unsafeNetworks: 0xa2,
  groups: 0xa3,
  isCa: 0x84,
  notBefore: 0x85,
  notAfter: 0x86,
  issuer: 0x87,
  curve: 0x81,
  publicKey: 0x82,
  signature: 0x83,
};
const TRUE = 0xff;
const NAME_LENGTH_MAX = 253;
const LENGTH_MAX = 65_536;

/** Sorts networks and truncates times to seconds. The result shares no arrays with the input. */
export function normalizeDetailsV2(details: DetailsV2): DetailsV2 {
  return {
    ...details,
    networks: details.networks.toSorted(compareIpPrefixes),
    unsafeNetworks: details.unsafeNetworks.toSorted(compareIpPrefixes),
    groups: [...details.groups],
    notBefore: new Date(toSeconds(details.notBefore) * 1000),
    notAfter: new Date(toSeconds(details.notAfter) * 1000),
    publicKey: new Uint8Array(details.publicKey),
  };
}

/** The signed bytes: details, curve (even if it's the default) and public key. */
export function encodeSignedBytesV2(details: DetailsV2): Uint8Array {
  return joinSignedBytesV2(encodeDetailsV2(details), details.publicKey);
}

/** The fingerprint is the SHA-256 of these bytes, which differ from the encoded certificate. */
export function encodeFingerprintBytesV2({ details, signature }: CertificateV2): Uint8Array {
  checkSignature(signature, details.publicKey);
  return concatBytes(encodeSignedBytesV2(details), signature);
}

export function encodeCertificateV2({ details, signature }: CertificateV2): Uint8Array {
  return joinCertificateV2(encodeDetailsV2(details), details.publicKey, signature);
}

export function encodeDetailsV2(details: DetailsV2): Uint8Array {
  checkDetails(details);
  return writeDetails(details);
}

export function joinSignedBytesV2(encodedDetails: Uint8Array, publicKey: Uint8Array): Uint8Array {
  return concatBytes(encodedDetails, Uint8Array.of(curveNumberOf(publicKey)), publicKey);
}

/** Encodes a certificate from encoded details. */
export function joinCertificateV2(
  encodedDetails: Uint8Array,
  publicKey: Uint8Array,
  signature: Uint8Array,
): Uint8Array {
  checkSignature(signature, publicKey);
  const curve = curveNumberOf(publicKey);
  const writer = new ByteWriter();
  writeElement(writer, TAG.sequence, () => {
    writer.bytes(encodedDetails);
    if (curve !== 0) writeElement(writer, TAG.curve, () => writer.byte(curve));
    writeElement(writer, TAG.publicKey, () => writer.bytes(publicKey));
    writeElement(writer, TAG.signature, () => writer.bytes(signature));
  });
  const encoded = writer.finish();
  check(encoded.length <= LENGTH_MAX, `a certificate must not have more than ${LENGTH_MAX} bytes`);
  return encoded;
}

export function decodeCertificateV2(bytes: Uint8Array): CertificateV2 {
  check(bytes.length <= LENGTH_MAX, `a certificate must not have more than ${LENGTH_MAX} bytes`);
  const sequence = byTag(readElements(bytes)).get(TAG.sequence);
  const parts = byTag(readElements(sequence ?? new Uint8Array()));
  const fields = byTag(readElements(parts.get(TAG.details) ?? new Uint8Array()));
  const issuer = toHex(contentOf(fields, TAG.issuer));
  const certificate: CertificateV2 = {
    details: {
      name: decodeText(contentOf(fields, TAG.name)),
      networks: readNetworks(contentOf(fields, TAG.networks)),
      unsafeNetworks: readNetworks(contentOf(fields, TAG.unsafeNetworks)),
      groups: readElements(contentOf(fields, TAG.groups)).map(({ content }) => decodeText(content)),
      notBefore: new Date(readInteger(contentOf(fields, TAG.notBefore)) * 1000),
      notAfter: new Date(readInteger(contentOf(fields, TAG.notAfter)) * 1000),
      publicKey: contentOf(parts, TAG.publicKey),
      isCa: fields.has(TAG.isCa),
      issuer: issuer === "" ? undefined : issuer,
    },
    signature: contentOf(parts, TAG.signature),
  };
  assertCanonical(encodeCertificateV2(certificate), bytes);
  return certificate;
}

/** Doesn't check the details: the functions above do. */
export function writeDetails(details: Omit<DetailsV2, "publicKey">): Uint8Array {
  const writer = new ByteWriter();
  writeElement(writer, TAG.details, () => {
    writeElement(writer, TAG.name, () => writer.text(details.name));
    writeList(writer, TAG.networks, details.networks, writeNetwork);
    writeList(writer, TAG.unsafeNetworks, details.unsafeNetworks, writeNetwork);
    writeList(writer, TAG.groups, details.groups, writeGroup);
    if (details.isCa) writeElement(writer, TAG.isCa, () => writer.byte(TRUE));
    writeElement(writer, TAG.notBefore, () => writeInteger(writer, toSeconds(details.notBefore)));
    writeElement(writer, TAG.notAfter, () => writeInteger(writer, toSeconds(details.notAfter)));
    const { issuer } = details;
    if (issuer !== undefined) writeElement(writer, TAG.issuer, () => writer.hex(issuer));
  });
  return writer.finish();
}

function checkDetails(details: DetailsV2): void {
  const { name, networks, unsafeNetworks, groups, isCa, issuer } = details;
  check(isUnicode(name), "a name must be Unicode text");
  check(
    name !== "" && encodeText(name).length <= NAME_LENGTH_MAX,
    `a name must have 1 to ${NAME_LENGTH_MAX} bytes`,
  );
  check(
    groups.every((group) => group !== "" && isUnicode(group)),
    "a group must be Unicode text",
  );
  for (const list of [networks, unsafeNetworks]) {
    check(list.every(isIpPrefix), "a network must be an IPv4 or IPv6 network");
    check(isSorted(list), "networks must be in order and none of them twice");
  }
  check(toSeconds(details.notBefore) >= 0, "a certificate must begin in 1970 or later");
  check(
    toSeconds(details.notAfter) >= toSeconds(details.notBefore),
    "a certificate must not end before it begins",
  );
  if (isCa) check(issuer === undefined, "a CA must not have an issuer");
  else checkHost(details);
}

function checkHost({ networks, unsafeNetworks, issuer }: DetailsV2): void {
  check(issuer !== undefined && FINGERPRINT.test(issuer), "a host's issuer must be a fingerprint");
  check(networks.length > 0, "a host must have an address");
  check(!networks.some(({ address }) => isZeroAddress(address)), "a host must not have the zero address");
  check(
    unsafeNetworks.every((unsafe) =>
      networks.some((network) => isIpv4(network.address) === isIpv4(unsafe.address)),
    ),
    "a host must have an address of the family of each network it routes to",
  );
}

const curveNumberOf = (publicKey: Uint8Array): number => curveFormats[curveOf(publicKey)].number;

function isSorted(networks: readonly IpPrefix[]): boolean {
  return networks.every((network, index) => {
    const previous = networks[index - 1];
    return previous === undefined || compareIpPrefixes(previous, network) < 0;
  });
}

function writeList<Item>(
  writer: ByteWriter,
  tag: number,
  items: readonly Item[],
  writeItem: (writer: ByteWriter, item: Item) => void,
): void {
  if (items.length === 0) return;
  writeElement(writer, tag, () => items.forEach((item) => writeItem(writer, item)));
}

function writeNetwork(writer: ByteWriter, { address, prefixLength }: IpPrefix): void {
  writeElement(writer, TAG.octets, () => {
    writer.bytes(address);
    writer.byte(prefixLength);
  });
}

function writeGroup(writer: ByteWriter, group: string): void {
  writeElement(writer, TAG.text, () => writer.text(group));
}

function readNetworks(content: Uint8Array): IpPrefix[] {
  return readElements(content).map((element) => ({
    address: element.content.slice(0, -1),
    prefixLength: element.content.at(-1) ?? 0,
  }));
}

// Drops unknown, repeated and misplaced elements: the comparison with the canonical form rejects them.
function byTag(elements: readonly DerElement[]): ReadonlyMap<number, Uint8Array> {
  return new Map(elements.map(({ tag, content }) => [tag, content]));
}

function contentOf(elements: ReadonlyMap<number, Uint8Array>, tag: number): Uint8Array {
  return elements.get(tag) ?? new Uint8Array();
}
