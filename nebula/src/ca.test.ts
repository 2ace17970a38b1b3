import { describe, expect, it } from "vitest";
import { parseCidr } from "./addresses.ts";
import type { Cidr } from "./addresses.ts";
import { createCa, createSigner, fingerprintV1, fingerprintV2, verifyV1, verifyV2 } from "./ca.ts";
import type { Verification } from "./ca.ts";
import { decodeCertificateV1, encodeCertificateV1 } from "./certificate-v1.ts";
import type { CertificateV1, DetailsV1 } from "./certificate-v1.ts";
import { CA_SEED, CA_VECTOR, HOST_VECTOR, bytes, hex } from "../test-data/certificate-v1-vectors.ts";
import { decodeCertificateV2 } from "./certificate-v2.ts";
import type { CertificateV2 } from "./certificate-v2.ts";
import { CA_V2, HOST_V2 } from "../test-data/certificate-v2-vectors.ts";
import { FormatError } from "./format-error.ts";
import { parseIpPrefix } from "./ip-prefixes.ts";
import { decodePem } from "./pem.ts";

const CA_PRIVATE_KEY = Uint8Array.of(...CA_SEED, ...CA_VECTOR.details.publicKey);
const signer = createSigner(CA_PRIVATE_KEY);
const AT = new Date(1_800_000_000_000);

describe("signing", () => {
  it.each([
    ["the CA", CA_VECTOR],
    ["the host", HOST_VECTOR],
  ])("creates the signature and fingerprint of %s of the test vector", (_, vector) => {
    const certificate = signer.signV1(vector.details);
    expect(hex(certificate.signature)).toBe(vector.signatureHex);
    expect(certificate.details).toEqual(vector.details);
    expect(fingerprintV1(certificate)).toBe(vector.fingerprint);
  });

  it("returns the signed details, in whole seconds and independent of its input", () => {
    const publicKey = new Uint8Array(HOST_VECTOR.details.publicKey);
    const notAfter = new Date(HOST_VECTOR.details.notAfter.getTime() + 500);
    const certificate = signer.signV1({ ...HOST_VECTOR.details, publicKey, notAfter });
    publicKey.fill(0);
    expect(certificate.details).toEqual(HOST_VECTOR.details);
  });

  it("issues the same certificate as PEM", () => {
    const { pem, fingerprint } = signer.issueV1(HOST_VECTOR.details);
    expect(readCertificate(pem)).toEqual(signer.signV1(HOST_VECTOR.details));
    expect(fingerprint).toBe(HOST_VECTOR.fingerprint);
  });

  it("rejects signing another CA", () => {
    const other = { ...CA_VECTOR.details, publicKey: HOST_VECTOR.details.publicKey };
    expect(() => signer.signV1(other)).toThrow("can't sign another CA");
  });

  it("rejects a private key of the wrong length, or of two keys", () => {
    expect(() => createSigner(CA_SEED)).toThrow(FormatError);
    const mixed = Uint8Array.of(...CA_SEED, ...createTestCa().publicKey);
    expect(() => createSigner(mixed)).toThrow("don't match");
  });
});

describe("a new CA", () => {
  it("is a self-signed certificate without limits, in PEM", () => {
    const ca = createTestCa();
    const certificate = readCertificate(ca.certificatePem);
    expect(certificate.details).toEqual({ ...CA_VECTOR.details, publicKey: ca.publicKey });
    expect(fingerprintV1(certificate)).toBe(ca.fingerprint);
    expect(createSigner(ca.privateKey).signV1(certificate.details).signature).toEqual(certificate.signature);
  });

  it("has a new private key each time, createdCa of seed and public key", () => {
    const [first, second] = [createTestCa(), createTestCa()];
    expect(first.privateKey).toHaveLength(64);
    expect(first.privateKey.subarray(32)).toEqual(first.publicKey);
    expect(first.privateKey).not.toEqual(second.privateKey);
  });
});

describe("verifying", () => {
  const ca = signer.signV1(CA_VECTOR.details);
  const host = signer.signV1(HOST_VECTOR.details);

  function verifyUnder(limits: Partial<DetailsV1>, change: Partial<DetailsV1> = {}): Verification {
    const limited = signer.signV1({ ...CA_VECTOR.details, ...limits });
    const details = { ...HOST_VECTOR.details, ...change, issuer: fingerprintV1(limited) };
    return verifyV1({ certificate: signer.signV1(details), ca: limited, at: AT });
  }

  it("accepts a certificate that the CA signed", () => {
    expect(verifyV1({ certificate: host, ca, at: AT })).toEqual({ ok: true });
  });

  it("accepts a certificate from its first to its last second", () => {
    const { notBefore, notAfter } = host.details;
    expect(verifyV1({ certificate: host, ca, at: notBefore })).toEqual({ ok: true });
    expect(verifyV1({ certificate: host, ca, at: notAfter })).toEqual({ ok: true });
    const outOfDate = { ok: false, problem: "outOfDate" };
    expect(verifyV1({ certificate: host, ca, at: new Date(notBefore.getTime() - 1) })).toEqual(outOfDate);
    expect(verifyV1({ certificate: host, ca, at: new Date(notAfter.getTime() + 1) })).toEqual(outOfDate);
  });

  it("rejects all certificates after the CA has expired", () => {
    expect(verifyV1({ certificate: host, ca, at: new Date(2_000_000_001_000) })).toEqual({
      ok: false,
      problem: "caOutOfDate",
    });
  });

  it("rejects the certificate of another CA", () => {
    const other = readCertificate(createTestCa().certificatePem);
    expect(verifyV1({ certificate: host, ca: other, at: AT })).toEqual({ ok: false, problem: "otherIssuer" });
  });

  it("rejects a CA as a host, and a host as a CA", () => {
    expect(verifyV1({ certificate: ca, ca, at: AT })).toEqual({ ok: false, problem: "otherIssuer" });
    expect(verifyV1({ certificate: host, ca: host, at: AT })).toEqual({ ok: false, problem: "invalidCa" });
  });

  it("rejects a host certificate with the CA's key as a CA", () => {
    const disguised = signer.signV1({ ...host.details, publicKey: ca.details.publicKey });
    expect(verifyV1({ certificate: host, ca: disguised, at: AT })).toEqual({
      ok: false,
      problem: "invalidCa",
    });
  });

  it("rejects a CA that isn't self-signed", () => {
    const forged = { ...ca, signature: host.signature };
    expect(verifyV1({ certificate: host, ca: forged, at: AT })).toEqual({ ok: false, problem: "invalidCa" });
  });

  it("rejects a changed detail and a changed signature", () => {
    const badSignature = { ok: false, problem: "badSignature" };
    const renamed = { ...host, details: { ...host.details, name: "host-b" } };
    expect(verifyV1({ certificate: renamed, ca, at: AT })).toEqual(badSignature);
    expect(verifyV1({ certificate: { ...host, signature: ca.signature }, ca, at: AT })).toEqual(badSignature);
  });

  it("rejects a certificate that starts before or expires after its CA", () => {
    const outside = { ok: false, problem: "outsideCaLifetime" };
    expect(verifyUnder({}, { notBefore: new Date(1_699_999_999_000) })).toEqual(outside);
    expect(verifyUnder({}, { notAfter: new Date(2_000_000_001_000) })).toEqual(outside);
  });

  it("limits a host to the groups of its CA", () => {
    expect(verifyUnder({ groups: ["tag:env:prod", "role:abc", "more"] })).toEqual({ ok: true });
    expect(verifyUnder({ groups: ["role:abc"] })).toEqual({ ok: false, problem: "groupNotAllowed" });
  });

  it("limits a host to the networks of its CA", () => {
    const problem = { ok: false, problem: "networkNotAllowed" };
    expect(verifyUnder({ networks: [cidr("10.0.0.0/8"), cidr("100.100.0.0/16")] })).toEqual({ ok: true });
    expect(verifyUnder({ networks: [cidr("100.100.0.0/22")] })).toEqual({ ok: true });
    expect(verifyUnder({ networks: [cidr("100.100.0.0/24")] })).toEqual(problem);
    expect(verifyUnder({ networks: [cidr("10.0.0.0/8")] })).toEqual(problem);
  });

  it("limits a host to the unsafe networks of its CA", () => {
    expect(verifyUnder({ unsafeNetworks: [cidr("192.168.0.0/16")] })).toEqual({ ok: true });
    expect(verifyUnder({ unsafeNetworks: [cidr("10.0.0.0/8")] })).toEqual({
      ok: false,
      problem: "unsafeNetworkNotAllowed",
    });
  });

  it("has the same result for decoded certificates", () => {
    const stored = decodeCertificateV1(encodeCertificateV1(host));
    expect(verifyV1({ certificate: stored, ca, at: AT })).toEqual({ ok: true });
    expect(stored.signature).toEqual(bytes(HOST_VECTOR.signatureHex));
  });
});

describe("version 2", () => {
  const ca = readCertificateV2(CA_V2.pem);
  const theirs = createSigner(decodePem("NEBULA ED25519 PRIVATE KEY", CA_V2.privateKeyPem));
  const host = theirs.signV2(HOST_V2.details);
  const at = new Date("2030-01-01T00:00:00Z");

  it("issues the same bytes as nebula-cert, whatever the order of networks", () => {
    const networks = HOST_V2.details.networks.toReversed();
    const { pem, fingerprint } = HOST_V2;
    expect(theirs.issueV2({ ...HOST_V2.details, networks })).toEqual({ pem, fingerprint });
  });

  it("has the fingerprints that nebula-cert prints", () => {
    expect(fingerprintV2(ca)).toBe(CA_V2.fingerprint);
    expect(fingerprintV2(readCertificateV2(HOST_V2.pem))).toBe(HOST_V2.fingerprint);
  });

  it("creates CAs that can sign", () => {
    const createdCa = createCa({ ...CA_VECTOR.details, certificateVersion: 2 });
    const issued = createSigner(createdCa.privateKey).signV2({
      ...HOST_V2.details,
      notBefore: CA_VECTOR.details.notBefore,
      notAfter: CA_VECTOR.details.notAfter,
      issuer: createdCa.fingerprint,
    });
    const caCertificate = readCertificateV2(createdCa.certificatePem);
    expect(caCertificate.details.isCa).toBe(true);
    expect(verifyV2({ certificate: issued, ca: caCertificate, at: AT })).toEqual({ ok: true });
  });

  it("rejects signing another CA", () => {
    const details = { ...ca.details, publicKey: HOST_V2.details.publicKey };
    expect(() => theirs.signV2(details)).toThrow("can't sign another CA");
    expect(() => theirs.issueV2(details)).toThrow("can't sign another CA");
  });

  it("verifies signed certificates and rejects changed certificates", () => {
    expect(verifyV2({ certificate: host, ca, at })).toEqual({ ok: true });
    const renamed = { ...host, details: { ...host.details, name: "host-b" } };
    expect(verifyV2({ certificate: renamed, ca, at })).toEqual({ ok: false, problem: "badSignature" });
    const otherKey = { ...host, details: { ...host.details, publicKey: new Uint8Array(32) } };
    expect(verifyV2({ certificate: otherKey, ca, at })).toEqual({ ok: false, problem: "badSignature" });
    expect(verifyV2({ certificate: host, ca: host, at })).toEqual({ ok: false, problem: "invalidCa" });
  });

  it("limits a host to the IPv6 networks of its CA", () => {
    const limits = (text: string) => {
      const networks = [text, "100.100.0.0/16"].map((limit) => parseIpPrefix(limit)!);
      const limited = theirs.signV2({ ...ca.details, networks });
      const certificate = theirs.signV2({ ...HOST_V2.details, issuer: fingerprintV2(limited) });
      return verifyV2({ certificate, ca: limited, at });
    };
    expect(limits("fd00::/48")).toEqual({ ok: true });
    expect(limits("fd01::/48")).toEqual({ ok: false, problem: "networkNotAllowed" });
  });
});

function readCertificateV2(text: string): CertificateV2 {
  return decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", text));
}

function createTestCa() {
  const { name, notBefore, notAfter } = CA_VECTOR.details;
  return createCa({ name, notBefore, notAfter });
}

function readCertificate(text: string): CertificateV1 {
  return decodeCertificateV1(decodePem("NEBULA CERTIFICATE", text));
}

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is no CIDR`);
  return parsed;
}
