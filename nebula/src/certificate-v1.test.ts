import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeCertificateV1,
  decodeDetailsV1,
  encodeCertificateV1,
  encodeDetailsV1,
} from "./certificate-v1.ts";
import type { CertificateV1, DetailsV1 } from "./certificate-v1.ts";
import { FormatError } from "./format-error.ts";
import { CA_VECTOR, HOST_VECTOR, bytes, hex } from "../test-data/certificate-v1-vectors.ts";

const cidrs = fc.record({
  address: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  prefixLength: fc.integer({ min: 0, max: 32 }),
});
const texts = fc.string({ unit: "binary", maxLength: 40 });
const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });
const lifetimes = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: 0, max: 2 ** 40 }))
  .map(([start, length]) => ({
    notBefore: new Date(start * 1000),
    notAfter: new Date((start + length) * 1000),
  }));
const identities = fc.oneof(
  fc.record({ isCa: fc.constant(true), issuer: fc.constant(undefined), networks: fc.array(cidrs) }),
  fc.record({
    isCa: fc.constant(false),
    issuer: keys.map(hex),
    networks: fc.array(cidrs, { minLength: 1, maxLength: 1 }),
  }),
);
const details: fc.Arbitrary<DetailsV1> = fc
  .tuple(
    fc.record({
      name: texts,
      unsafeNetworks: fc.array(cidrs),
      groups: fc.array(texts.filter((text) => text !== "")),
      publicKey: keys,
    }),
    lifetimes,
    identities,
  )
  .map(([rest, lifetime, identity]) => ({ ...rest, ...lifetime, ...identity }));
const certificates: fc.Arbitrary<CertificateV1> = fc.record({
  details,
  signature: fc.uint8Array({ minLength: 64, maxLength: 64 }),
});

describe("version 1 certificate details", () => {
  it.each([
    ["the CA", CA_VECTOR],
    ["the host", HOST_VECTOR],
  ])("are encoded to the same bytes as %s of the test vector", (_, vector) => {
    expect(hex(encodeDetailsV1(vector.details))).toBe(vector.detailsHex);
    expect(decodeDetailsV1(bytes(vector.detailsHex))).toEqual(vector.details);
  });

  it("are truncated to seconds", () => {
    const notBefore = new Date(HOST_VECTOR.details.notBefore.getTime() + 999);
    expect(hex(encodeDetailsV1({ ...HOST_VECTOR.details, notBefore }))).toBe(HOST_VECTOR.detailsHex);
  });

  it("keep a byte order mark in a name", () => {
    const marked = { ...HOST_VECTOR.details, name: "\ufeffhost" };
    expect(decodeDetailsV1(encodeDetailsV1(marked)).name).toBe("\ufeffhost");
  });

  it.each<[string, Partial<DetailsV1>]>([
    ["a name that is not Unicode", { name: "\ud800" }],
    ["a group that is not Unicode", { groups: ["\udc00"] }],
    ["a group without a name", { groups: [""] }],
    ["an address beyond 32 bits", { networks: [{ address: 2 ** 32, prefixLength: 22 }] }],
    ["a prefix length beyond 32", { unsafeNetworks: [{ address: 1, prefixLength: 33 }] }],
    ["a start before 1970", { notBefore: new Date(-1000) }],
    ["an invalid instant", { notAfter: new Date(Number.NaN) }],
    ["an end before the start", { notAfter: new Date(0) }],
    ["a short public key", { publicKey: new Uint8Array(31) }],
    ["a host without an issuer", { issuer: undefined }],
    ["an issuer in capitals", { issuer: "A".repeat(64) }],
    ["a short issuer", { issuer: "ab" }],
    ["a CA with an issuer", { isCa: true }],
    ["a host without an address", { networks: [] }],
    ["a host with two addresses", { networks: [1, 2].map((address) => ({ address, prefixLength: 22 })) }],
    ["a host with the zero address", { networks: [{ address: 0, prefixLength: 22 }] }],
  ])("reject %s", (_, change) => {
    expect(() => encodeDetailsV1({ ...HOST_VECTOR.details, ...change })).toThrow(FormatError);
  });
});

describe("a version 1 certificate", () => {
  it("is decoded from its own bytes", () => {
    fc.assert(
      fc.property(certificates, (certificate) => {
        expect(decodeCertificateV1(encodeCertificateV1(certificate))).toEqual(certificate);
      }),
    );
  });

  it("has one encoding: other bytes are rejected or are another certificate", () => {
    fc.assert(
      fc.property(certificates, fc.nat(), fc.integer({ min: 1, max: 255 }), (certificate, position, flip) => {
        const changed = encodeCertificateV1(certificate);
        const index = position % changed.length;
        changed[index] = (changed[index] ?? 0) ^ flip;
        expect(decodeOrUndefined(changed)).not.toEqual(certificate);
      }),
    );
  });

  it("rejects arbitrary bytes with a FormatError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        expect(decodeOrUndefined(noise)).toBeUndefined();
      }),
    );
  });

  it("rejects every truncated form of itself", () => {
    const whole = encodeCertificateV1({
      details: HOST_VECTOR.details,
      signature: bytes(HOST_VECTOR.signatureHex),
    });
    for (let length = 0; length < whole.length; length += 1) {
      expect(() => decodeCertificateV1(whole.subarray(0, length))).toThrow(FormatError);
    }
  });

  it("rejects a signature that doesn't have 64 bytes", () => {
    expect(() =>
      encodeCertificateV1({ details: HOST_VECTOR.details, signature: new Uint8Array(63) }),
    ).toThrow("must have 64 bytes");
  });
});

describe("a non-canonical certificate is rejected", () => {
  const { detailsHex } = CA_VECTOR;
  const nameHex = "0a07746573742d6361";

  it.each([
    ["an unknown field", `${detailsHex}520101`],
    ["the default curve written explicitly", `${detailsHex}a00600`],
    ["curve P256", `${detailsHex}a00601`],
    ["fields out of order", detailsHex.slice(nameHex.length) + nameHex],
    ["a repeated field", nameHex + detailsHex],
    ["an empty field", `${nameHex}1200${detailsHex.slice(nameHex.length)}`],
    ["a padded integer", detailsHex.replace(/4001$/, "408100")],
    ["an integer of endless zeros", detailsHex.replace(/4001$/, `40${"80".repeat(40)}00`)],
    ["a truth of 2", detailsHex.replace(/4001$/, "4002")],
    ["a number where text belongs", `0801${detailsHex.slice(nameHex.length)}`],
    ["text where a number belongs", detailsHex.replace(/4001$/, "420101")],
    ["a fixed-size integer", `${detailsHex}4d00000000`],
    ["unpacked networks", `${nameHex}10011080feffff0f${detailsHex.slice(nameHex.length)}`],
    ["a network without a mask", `${nameHex}120101${detailsHex.slice(nameHex.length)}`],
    ["a mask with gaps", `${nameHex}12020101${detailsHex.slice(nameHex.length)}`],
    ["a negative instant", detailsHex.replace("2880e2cfaa06", "28ffffffffffffffffff01")],
  ])("%s", (_, changedHex) => {
    expect(changedHex).not.toBe(detailsHex);
    expect(() => decodeDetailsV1(bytes(changedHex))).toThrow(FormatError);
  });

  it("a name that must be UTF-8", () => {
    expect(() => decodeDetailsV1(bytes(detailsHex.replace("746573", "ff6573")))).toThrow("must be UTF-8");
  });

  it("bytes after the signature", () => {
    const whole = encodeCertificateV1({
      details: CA_VECTOR.details,
      signature: bytes(CA_VECTOR.signatureHex),
    });
    expect(() => decodeCertificateV1(Uint8Array.of(...whole, 0x18, 1))).toThrow("isn't in canonical form");
  });
});

function decodeOrUndefined(encoded: Uint8Array): CertificateV1 | undefined {
  try {
    return decodeCertificateV1(encoded);
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return undefined;
  }
}
