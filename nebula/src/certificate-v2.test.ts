import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes, hex } from "../test-data/certificate-v1-vectors.ts";
import {
  decodeCertificateV2,
  encodeCertificateV2,
  encodeSignedBytesV2,
  normalizeDetailsV2,
  writeDetails,
} from "./certificate-v2.ts";
import type { CertificateV2, DetailsV2 } from "./certificate-v2.ts";
import { HOST_V2 } from "../test-data/certificate-v2-vectors.ts";
import { FormatError } from "./format-error.ts";
import { compareIpPrefixes, formatIpPrefix, parseIpPrefix } from "./ip-prefixes.ts";
import type { IpPrefix } from "./ip-prefixes.ts";
import { decodePem, encodePem } from "./pem.ts";

const ipv4 = networks(4, 32);
const ipv6 = networks(16, 128).filter((network) => parseIpPrefix(formatIpPrefix(network)) !== undefined);
const texts = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });
const certificates: fc.Arbitrary<CertificateV2> = fc
  .record({
    name: texts,
    networks: fc.tuple(ipv4, ipv6).map((pair) => [...pair]),
    unsafeNetworks: distinctNetworks(),
    groups: fc.array(texts),
    publicKey: keys,
    issuer: fc.option(keys.map(hex), { nil: undefined }),
    start: fc.integer({ min: 0, max: 2 ** 40 }),
    length: fc.integer({ min: 0, max: 2 ** 40 }),
    signature: fc.uint8Array({ minLength: 64, maxLength: 64 }),
  })
  .map(({ start, length, signature, ...rest }) => ({
    details: normalizeDetailsV2({
      ...rest,
      isCa: rest.issuer === undefined,
      notBefore: new Date(start * 1000),
      notAfter: new Date((start + length) * 1000),
    }),
    signature,
  }));

describe("a version 2 certificate", () => {
  it("is decoded from nebula-cert's output and encoded to the same bytes", () => {
    const certificate = decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", HOST_V2.pem));
    expect(certificate.details).toEqual(HOST_V2.details);
    expect(encodePem("NEBULA CERTIFICATE V2", encodeCertificateV2(certificate))).toBe(HOST_V2.pem);
  });

  it("has the details of Nebula's own stability vector", () => {
    const details = {
      name: "testing",
      networks: ["10.1.1.2/16", "10.1.1.1/24"].map(network),
      unsafeNetworks: ["9.1.1.3/16", "9.1.1.2/24"].map(network),
      groups: ["test-group1", "test-group2", "test-group3"],
      isCa: false,
      notBefore: new Date(0x318bef80 * 1000),
      notAfter: new Date(0x318befbc * 1000),
      issuer: "1234567890abcdef1234567890abcdef",
    };
    expect(hex(writeDetails(details))).toBe(
      "a070800774657374696e67a10e04050a0101021004050a01010118a20e0405090101031004050901010218" +
        "a3270c0b746573742d67726f7570310c0b746573742d67726f7570320c0b746573742d67726f757033" +
        "8504318bef808604318befbc87101234567890abcdef1234567890abcdef",
    );
  });

  it("signs details, then the curve, then the public key", () => {
    const signed = encodeSignedBytesV2(HOST_V2.details);
    const tail = `00${hex(HOST_V2.details.publicKey)}`;
    expect(hex(signed)).toBe(hex(writeDetails(HOST_V2.details)) + tail);
  });

  it("is decoded from its own bytes", () => {
    fc.assert(
      fc.property(certificates, (certificate) => {
        expect(decodeCertificateV2(encodeCertificateV2(certificate))).toEqual(certificate);
      }),
    );
  });

  it("has one encoding: other bytes are rejected or are another certificate", () => {
    fc.assert(
      fc.property(certificates, fc.nat(), fc.integer({ min: 1, max: 255 }), (certificate, position, flip) => {
        const changed = encodeCertificateV2(certificate);
        const index = position % changed.length;
        changed[index] = (changed[index] ?? 0) ^ flip;
        expect(decodeOrUndefined(changed)).not.toEqual(certificate);
      }),
    );
  });

  it("rejects arbitrary bytes and every truncated form of itself with a FormatError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        expect(decodeOrUndefined(noise)).toBeUndefined();
      }),
    );
    const whole = decodePem("NEBULA CERTIFICATE V2", HOST_V2.pem);
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => decodeCertificateV2(whole.subarray(0, length))).toThrow(FormatError);
    }
  });

  it("sorts networks before it is signed", () => {
    const networks = HOST_V2.details.networks.toReversed();
    const unsafeNetworks = HOST_V2.details.unsafeNetworks.toReversed();
    expect(normalizeDetailsV2({ ...HOST_V2.details, networks, unsafeNetworks })).toEqual(HOST_V2.details);
  });

  it.each<[string, Partial<DetailsV2>]>([
    ["no name", { name: "" }],
    ["a name of 254 bytes", { name: "é".repeat(127) }],
    ["a name that is not Unicode", { name: "\ud800" }],
    ["a group without a name", { groups: [""] }],
    ["networks out of order", { networks: HOST_V2.details.networks.toReversed() }],
    ["a network twice", { networks: ["10.0.0.1/8", "10.0.0.1/8"].map(network) }],
    ["a network of 5 bytes", { networks: [{ address: new Uint8Array(5).fill(1), prefixLength: 8 }] }],
    ["a prefix beyond the address", { networks: [{ address: Uint8Array.of(1, 1, 1, 1), prefixLength: 33 }] }],
    ["an IPv4 address within IPv6", { networks: [{ address: mapped(), prefixLength: 96 }] }],
    ["a host with the zero address", { networks: [network("0.0.0.0/8")] }],
    ["a host without an address", { networks: [] }],
    ["an IPv6 route of an IPv4 host", { networks: [network("10.0.0.1/8")] }],
    ["a start before 1970", { notBefore: new Date(-1000) }],
    ["an end before the start", { notAfter: new Date(0) }],
    ["a short public key", { publicKey: new Uint8Array(31) }],
    ["a host without an issuer", { issuer: undefined }],
    ["a CA with an issuer", { isCa: true }],
    ["more than 65536 bytes", { groups: Array.from({ length: 70 }, (_, index) => `${index}`.repeat(600)) }],
  ])("rejects %s", (_, change) => {
    const certificate = { details: { ...HOST_V2.details, ...change }, signature: new Uint8Array(64) };
    expect(() => encodeCertificateV2(certificate)).toThrow(FormatError);
  });

  it("rejects a signature that doesn't have 64 bytes", () => {
    expect(() => encodeCertificateV2({ details: HOST_V2.details, signature: new Uint8Array(63) })).toThrow(
      "must have 64 bytes",
    );
  });
});

describe("a non-canonical version 2 certificate", () => {
  const fields = {
    name: element("80", "6f6e65"),
    groups: element("a3", element("0c", "61"), element("0c", "62")),
    isCa: element("84", "ff"),
    notBefore: element("85", "6af926ab"),
    notAfter: element("86", "7dc529ab"),
    curve: "",
    publicKey: element("82", "11".repeat(32)),
    signature: element("83", "22".repeat(64)),
  };

  function decode(change: Partial<typeof fields>): CertificateV2 {
    const { name, groups, isCa, notBefore, notAfter, curve, publicKey, signature } = { ...fields, ...change };
    const details = element("a0", name, groups, isCa, notBefore, notAfter);
    return decodeCertificateV2(bytes(element("30", details, curve, publicKey, signature)));
  }

  it("differs from this canonical certificate, which is accepted", () => {
    expect(decode({}).details).toMatchObject({ name: "one", groups: ["a", "b"], isCa: true });
  });

  it.each<[string, Partial<typeof fields>]>([
    ["curve P256", { curve: element("81", "01") }],
    ["the default curve written explicitly", { curve: element("81", "00") }],
    ["a boolean of 1", { isCa: element("84", "01") }],
    ["a padded integer", { notBefore: element("85", "006af926ab") }],
    ["a length in long form", { name: "8081036f6e65" }],
    ["a repeated field", { name: fields.name + fields.name }],
    ["fields out of order", { notBefore: fields.notAfter, notAfter: fields.notBefore }],
    ["an unknown field", { isCa: fields.isCa + element("8f", "00") }],
    ["an empty list", { groups: element("a3") }],
    ["an element of another type in the groups", { groups: element("a3", element("04", "61")) }],
    ["bytes after the signature", { signature: fields.signature + element("84", "00") }],
  ])("is rejected for %s", (_, change) => {
    expect(() => decode(change)).toThrow("isn't in canonical form");
  });

  it("is rejected for an indefinite length", () => {
    expect(() => decode({ name: "80806f6e650000" })).toThrow("invalid length");
  });
});

function element(tag: string, ...contents: readonly string[]): string {
  const content = contents.join("");
  const length = (content.length / 2).toString(16).padStart(2, "0");
  return tag + (content.length / 2 < 128 ? length : `81${length}`) + content;
}

function networks(length: number, bits: number): fc.Arbitrary<IpPrefix> {
  return fc.record({
    address: fc
      .uint8Array({ minLength: length, maxLength: length })
      .filter((address) => address.some((byte) => byte !== 0)),
    prefixLength: fc.integer({ min: 0, max: bits }),
  });
}

function distinctNetworks(): fc.Arbitrary<IpPrefix[]> {
  return fc.uniqueArray(fc.oneof(ipv4, ipv6), {
    maxLength: 5,
    comparator: (a, b) => compareIpPrefixes(a, b) === 0,
  });
}

function network(text: string): IpPrefix {
  const prefix = parseIpPrefix(text);
  if (prefix === undefined) throw new Error(`${text} is no network`);
  return prefix;
}

function mapped(): Uint8Array {
  return bytes("00000000000000000000ffff01020304");
}

function decodeOrUndefined(encoded: Uint8Array): CertificateV2 | undefined {
  try {
    return decodeCertificateV2(encoded);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return undefined;
  }
}
