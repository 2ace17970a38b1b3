/** Certificates with curve P256, checked with the real nebula-cert. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nebulaBinaries } from "../../scripts/nebula-versions.mjs";
import { HOST_VECTOR, hex } from "../test-data/certificate-v1-vectors.ts";
import { HOST_V2 } from "../test-data/certificate-v2-vectors.ts";
import { createCa, createSigner, fingerprintV1, fingerprintV2, verifyV1, verifyV2 } from "./ca.ts";
import { decodeCertificateV1, encodeCertificateV1 } from "./certificate-v1.ts";
import { decodeCertificateV2, encodeCertificateV2 } from "./certificate-v2.ts";
import { otherSignature } from "./ecdsa-signatures.ts";
import { FormatError } from "./format-error.ts";
import { decodePem, encodePem } from "./pem.ts";
import { generateP256Key } from "./signing-keys.ts";
import { nebulaCapabilities } from "./versions.ts";

const DAY = 86_400_000;
const now = new Date();
const lifetime = { notBefore: new Date(now.getTime() - DAY), notAfter: new Date(now.getTime() + 300 * DAY) };
const hostKey = generateP256Key();
const caV1 = createCa({ name: "Harbor", ...lifetime, curve: "P256" });
const caV2 = createCa({ name: "Harbor", ...lifetime, curve: "P256", certificateVersion: 2 });
const detailsV1 = {
  ...HOST_VECTOR.details,
  ...lifetime,
  publicKey: hostKey.publicKey,
  issuer: caV1.fingerprint,
};
const detailsV2 = { ...HOST_V2.details, ...lifetime, publicKey: hostKey.publicKey, issuer: caV2.fingerprint };
const [signerV1, signerV2] = [createSigner(caV1.privateKey, "P256"), createSigner(caV2.privateKey, "P256")];
const issuedV1 = signerV1.issueV1(detailsV1);
const issuedV2 = signerV2.issueV2(detailsV2);

const readV1 = (pem: string) => decodeCertificateV1(decodePem("NEBULA CERTIFICATE", pem));
const readV2 = (pem: string) => decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", pem));

describe("a certificate with curve P256", () => {
  it("is read as it was written, in both versions", () => {
    const [v1, v2] = [readV1(issuedV1.pem), readV2(issuedV2.pem)];
    expect(v1.details.publicKey).toEqual(hostKey.publicKey);
    expect(v2.details.publicKey).toEqual(hostKey.publicKey);
    expect([fingerprintV1(v1), fingerprintV2(v2)]).toEqual([issuedV1.fingerprint, issuedV2.fingerprint]);
    expect(verifyV1({ certificate: v1, ca: readV1(caV1.certificatePem), at: now })).toEqual({ ok: true });
    expect(verifyV2({ certificate: v2, ca: readV2(caV2.certificatePem), at: now })).toEqual({ ok: true });
  });

  it("has another valid signature with the other fingerprint", () => {
    const [v1, v2] = [readV1(issuedV1.pem), readV2(issuedV2.pem)];
    const otherV1 = { ...v1, signature: otherSignature(v1.signature) };
    const otherV2 = { ...v2, signature: otherSignature(v2.signature) };
    expect(fingerprintV1(otherV1)).toBe(issuedV1.otherFingerprint);
    expect(fingerprintV2(otherV2)).toBe(issuedV2.otherFingerprint);
    expect(issuedV1.otherFingerprint).not.toBe(issuedV1.fingerprint);
    const ca = readV1(caV1.certificatePem);
    expect(verifyV1({ certificate: otherV1, ca, at: now })).toEqual({ ok: true });
    const ed25519 = createCa({ name: "Harbor", ...lifetime });
    const issuer = ed25519.fingerprint;
    const issued = createSigner(ed25519.privateKey).issueV1({ ...HOST_VECTOR.details, ...lifetime, issuer });
    expect(issued.otherFingerprint).toBeUndefined();
  });

  it("is signed only by a CA of its curve, and verified only against one", () => {
    const ed25519 = createCa({ name: "Harbor", ...lifetime });
    const signer = createSigner(ed25519.privateKey);
    expect(() => signer.issueV1(detailsV1)).toThrow("keys of its own curve");
    expect(() => signerV2.issueV2(HOST_V2.details)).toThrow("keys of its own curve");
    const certificate = signerV1.signV1({ ...detailsV1, issuer: ed25519.fingerprint });
    expect(verifyV1({ certificate, ca: readV1(ed25519.certificatePem), at: now })).toEqual({
      ok: false,
      problem: "otherCurve",
    });
  });

  it("rejects keys and signatures that aren't of curve P256", () => {
    expect(() => createSigner(caV1.privateKey)).toThrow(FormatError);
    expect(() => createSigner(new Uint8Array(32), "P256")).toThrow(FormatError);
    expect(() => createSigner(new Uint8Array(32).fill(255), "P256")).toThrow(FormatError);
    const compressed = Uint8Array.of(2, ...hostKey.publicKey.subarray(1));
    expect(() => signerV1.signV1({ ...detailsV1, publicKey: compressed })).toThrow("65 bytes");
    const certificate = { ...readV1(issuedV1.pem), signature: new Uint8Array(64) };
    expect(() => encodeCertificateV1(certificate)).toThrow("curve P256");
  });

  it("rejects a certificate whose curve doesn't fit its key", () => {
    const payload = decodePem("NEBULA CERTIFICATE V2", issuedV2.pem);
    const at = payload.findIndex((byte, index) => byte === 0x81 && payload[index + 1] === 1);
    expect(() => decodeCertificateV2(payload.with(at + 2, 2))).toThrow("canonical");
  });
});

let folder = "";
const path = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(path(name), text, { mode: 0o600 });
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nebula-p256-"));
  write("ca.crt", caV1.certificatePem);
  write("ca.key", encodePem("NEBULA ECDSA P256 PRIVATE KEY", caV1.privateKey));
  write("host.crt", issuedV1.pem);
  write("host.pub", encodePem("NEBULA P256 PUBLIC KEY", hostKey.publicKey));
  write("ca-v2.crt", caV2.certificatePem);
  write("ca-v2.key", encodePem("NEBULA ECDSA P256 PRIVATE KEY", caV2.privateKey));
  write("host-v2.crt", issuedV2.pem);
});
afterAll(() => rmSync(folder, { recursive: true }));

const binaries = (await nebulaBinaries()).filter(({ version }) => nebulaCapabilities(version).curveP256);

it("is checked with nebula-cert before and after 1.10", () => {
  const supportV2 = binaries.map(({ version }) => nebulaCapabilities(version).certificateV2);
  expect(new Set(supportV2)).toEqual(new Set([false, true]));
});

describe.each(binaries)("the real nebula-cert $version", ({ version, nebulaCert }) => {
  const speaksV2 = nebulaCapabilities(version).certificateV2;
  const run = (...parameters: string[]) =>
    execFileSync(nebulaCert, parameters, { encoding: "utf8", stdio: "pipe" });
  const print = (file: string) =>
    [JSON.parse(run("print", "-json", "-path", path(file)))].flat()[0] as Record<string, unknown>;
  const asVersion = (number: 1 | 2) => (speaksV2 ? [`-version=${number}`] : []);

  it("prints and verifies our certificates", () => {
    expect(run("verify", "-ca", path("ca.crt"), "-crt", path("host.crt"))).toBe("");
    expect(print("ca.crt").fingerprint).toBe(caV1.fingerprint);
    const { signature } = readV1(issuedV1.pem);
    expect(print("host.crt")).toMatchObject({
      fingerprint: issuedV1.fingerprint,
      signature: hex(signature),
    });
    if (!speaksV2) return;
    expect(run("verify", "-ca", path("ca-v2.crt"), "-crt", path("host-v2.crt"))).toBe("");
    expect(print("host-v2.crt")).toMatchObject({
      version: 2,
      curve: "P256",
      fingerprint: issuedV2.fingerprint,
    });
  });

  it("accepts our certificate with its other signature", () => {
    const certificate = readV1(issuedV1.pem);
    const signature = otherSignature(certificate.signature);
    write("other.crt", encodePem("NEBULA CERTIFICATE", encodeCertificateV1({ ...certificate, signature })));
    expect(run("verify", "-ca", path("ca.crt"), "-crt", path("other.crt"))).toBe("");
    expect(print("other.crt").fingerprint).toBe(issuedV1.otherFingerprint);
  });

  it("rejects our certificate once its content is changed", () => {
    const certificate = readV1(issuedV1.pem);
    const details = { ...certificate.details, name: "another" };
    write("forged.crt", encodePem("NEBULA CERTIFICATE", encodeCertificateV1({ ...certificate, details })));
    expect(() => run("verify", "-ca", path("ca.crt"), "-crt", path("forged.crt"))).toThrow(/signature/);
  });

  it("signs certificates with our CA's key that we can read and verify", () => {
    for (const number of speaksV2 ? ([1, 2] as const) : ([1] as const)) {
      const suffix = number === 2 ? "-v2" : "";
      const file = path(`theirs${suffix}-${version}.crt`);
      run(
        "sign",
        ...asVersion(number),
        `-ca-crt=${path(`ca${suffix}.crt`)}`,
        `-ca-key=${path(`ca${suffix}.key`)}`,
        `-in-pub=${path("host.pub")}`,
        `-out-crt=${file}`,
        "-name=host-b",
        "-ip=10.1.2.3/16",
      );
      const text = readFileSync(file, "utf8");
      const at = new Date(Date.now() + 60_000);
      if (number === 1) {
        expect(encodePem("NEBULA CERTIFICATE", encodeCertificateV1(readV1(text)))).toBe(text);
        expect(verifyV1({ certificate: readV1(text), ca: readV1(caV1.certificatePem), at })).toEqual({
          ok: true,
        });
      } else {
        expect(encodePem("NEBULA CERTIFICATE V2", encodeCertificateV2(readV2(text)))).toBe(text);
        expect(verifyV2({ certificate: readV2(text), ca: readV2(caV2.certificatePem), at })).toEqual({
          ok: true,
        });
      }
    }
  });

  it("creates CAs that we can read and sign with", () => {
    const [crt, key] = [path(`theirs-${version}.ca`), path(`theirs-${version}.key`)];
    run("ca", ...asVersion(1), "-curve=P256", "-name=theirs", `-out-crt=${crt}`, `-out-key=${key}`);
    const theirs = readV1(readFileSync(crt, "utf8"));
    const { notBefore, notAfter, publicKey } = theirs.details;
    const privateKey = decodePem("NEBULA ECDSA P256 PRIVATE KEY", readFileSync(key, "utf8"));
    const signer = createSigner(privateKey, "P256");
    expect(signer.publicKey).toEqual(publicKey);
    const details = { ...detailsV1, notBefore, notAfter, issuer: fingerprintV1(theirs) };
    write("ours.crt", signer.issueV1(details).pem);
    expect(run("verify", "-ca", crt, "-crt", path("ours.crt"))).toBe("");
  });
});
