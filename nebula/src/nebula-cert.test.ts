import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCa, fingerprintV1, signV1, verifyV1 } from "./ca.ts";
import { decodeCertificateV1, encodeCertificateV1 } from "./certificate-v1.ts";
import type { CertificateV1 } from "./certificate-v1.ts";
import { HOST_VECTOR, hex } from "./certificate-v1.vectors.ts";
import { decodePem, encodePem } from "./pem.ts";

const DAY = 86_400_000;
const now = new Date();
const ca = createCa({
  name: "Küste ☀",
  notBefore: new Date(now.getTime() - DAY),
  notAfter: new Date(now.getTime() + 5 * 365 * DAY),
});
const host = signV1(
  {
    ...HOST_VECTOR.details,
    notBefore: new Date(now.getTime() - 60_000),
    notAfter: new Date(now.getTime() + 365 * DAY),
    issuer: ca.fingerprint,
  },
  ca.privateKey,
);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nebula-cert-"));
  writeFileSync(path("ca.crt"), ca.certificatePem);
  writeFileSync(path("ca.key"), encodePem("NEBULA ED25519 PRIVATE KEY", ca.privateKey), { mode: 0o600 });
  writeFileSync(path("host.crt"), encodePem("NEBULA CERTIFICATE", encodeCertificateV1(host)));
  writeFileSync(path("host.pub"), encodePem("NEBULA X25519 PUBLIC KEY", host.details.publicKey));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the real nebula-cert", () => {
  it("prints our host certificate as we meant it", () => {
    const printed: unknown = JSON.parse(nebulaCert("print", "-json", "-path", path("host.crt")));
    expect(printed).toMatchObject({
      details: {
        name: "host-a",
        ips: ["100.100.0.29/22"],
        subnets: ["192.168.14.0/26"],
        groups: ["role:abc", "tag:env:prod"],
        isCa: false,
        issuer: ca.fingerprint,
        publicKey: hex(host.details.publicKey),
      },
      fingerprint: fingerprintV1(host),
      signature: hex(host.signature),
    });
  });

  it("prints our CA as we meant it", () => {
    const printed: unknown = JSON.parse(nebulaCert("print", "-json", "-path", path("ca.crt")));
    expect(printed).toMatchObject({
      details: { name: "Küste ☀", ips: [], subnets: [], groups: [], isCa: true, issuer: "" },
      fingerprint: ca.fingerprint,
    });
  });

  it("verifies our host certificate against our CA", () => {
    expect(nebulaCert("verify", "-ca", path("ca.crt"), "-crt", path("host.crt"))).toBe("");
  });

  it("refuses our host certificate once a byte of its signature is changed", () => {
    const signature = host.signature.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
    const forged = encodeCertificateV1({ ...host, signature });
    writeFileSync(path("forged.crt"), encodePem("NEBULA CERTIFICATE", forged));
    expect(() => nebulaCert("verify", "-ca", path("ca.crt"), "-crt", path("forged.crt"))).toThrow(
      "certificate signature did not match",
    );
  });

  it("signs with our CA key what we verify", () => {
    nebulaCert(
      "sign",
      `-ca-crt=${path("ca.crt")}`,
      `-ca-key=${path("ca.key")}`,
      `-in-pub=${path("host.pub")}`,
      `-out-crt=${path("theirs.crt")}`,
      "-name=host-b",
      "-ip=10.1.2.3/16",
      "-groups=a,b",
    );
    const theirs = readCertificate("theirs.crt");
    expect(theirs.details).toMatchObject({
      name: "host-b",
      networks: [{ address: 0x0a010203, prefixLength: 16 }],
      groups: ["a", "b"],
    });
    const at = new Date(now.getTime() + 60_000);
    expect(verifyV1({ certificate: theirs, ca: readCertificate("ca.crt"), at })).toEqual({ ok: true });
  });

  it("makes CAs we can read and sign with", () => {
    const [crt, key] = [path("their-ca.crt"), path("their-ca.key")];
    nebulaCert(
      "ca",
      "-name",
      "theirs",
      "-groups",
      "a,b",
      "-ips",
      "10.0.0.0/8",
      "-out-crt",
      crt,
      "-out-key",
      key,
    );
    const theirs = readCertificate("their-ca.crt");
    expect(theirs.details).toMatchObject({
      networks: [{ address: 0x0a000000, prefixLength: 8 }],
      groups: ["a", "b"],
    });

    const privateKey = decodePem("NEBULA ED25519 PRIVATE KEY", readFileSync(key, "utf8"));
    const signed = signV1(
      {
        ...HOST_VECTOR.details,
        networks: [{ address: 0x0a010203, prefixLength: 16 }],
        groups: ["b"],
        notBefore: theirs.details.notBefore,
        notAfter: theirs.details.notAfter,
        issuer: fingerprintV1(theirs),
      },
      privateKey,
    );
    writeFileSync(path("ours.crt"), encodePem("NEBULA CERTIFICATE", encodeCertificateV1(signed)));
    expect(nebulaCert("verify", "-ca", crt, "-crt", path("ours.crt"))).toBe("");
  });
});

function path(name: string): string {
  return join(folder, name);
}

function nebulaCert(...parameters: string[]): string {
  return execFileSync("nebula-cert", parameters, { encoding: "utf8", stdio: "pipe" });
}

function readCertificate(name: string): CertificateV1 {
  return decodeCertificateV1(decodePem("NEBULA CERTIFICATE", readFileSync(path(name), "utf8")));
}
