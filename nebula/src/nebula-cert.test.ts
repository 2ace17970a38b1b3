import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nebulaBinaries } from "../../scripts/nebula-versions.mjs";
import { createCa, createSigner, fingerprintV1, fingerprintV2, verifyV1, verifyV2 } from "./ca.ts";
import { decodeCertificateV1, encodeCertificateV1 } from "./certificate-v1.ts";
import type { CertificateV1 } from "./certificate-v1.ts";
import { HOST_VECTOR, hex } from "../test-data/certificate-v1-vectors.ts";
import { decodeCertificateV2, encodeCertificateV2 } from "./certificate-v2.ts";
import type { CertificateV2 } from "./certificate-v2.ts";
import { HOST_V2 } from "../test-data/certificate-v2-vectors.ts";
import { parseIpPrefix } from "./ip-prefixes.ts";
import { MISLEADING } from "../test-data/misleading-texts.ts";
import { decodePem, encodePem } from "./pem.ts";
import { nebulaCapabilities } from "./versions.ts";

const DAY = 86_400_000;
const now = new Date();
const lifetime = {
  notBefore: new Date(now.getTime() - 60_000),
  notAfter: new Date(now.getTime() + 365 * DAY),
};
const caLifetime = {
  notBefore: new Date(now.getTime() - DAY),
  notAfter: new Date(now.getTime() + 5 * 365 * DAY),
};
const ca = createCa({ name: "Küste ☀", ...caLifetime });
const signer = createSigner(ca.privateKey);
const host = signer.signV1({ ...HOST_VECTOR.details, ...lifetime, issuer: ca.fingerprint });
const caV2 = createCa({ name: "Küste ☀", ...caLifetime, certificateVersion: 2 });
const signerV2 = createSigner(caV2.privateKey);
const hostV2 = signerV2.signV2({ ...HOST_V2.details, ...lifetime, issuer: caV2.fingerprint });
const hostileTexts = fc
  .oneof(fc.constantFrom(...MISLEADING), fc.string({ unit: "binary", maxLength: 20 }))
  .filter((text) => text !== "");

const binaries = await nebulaBinaries();

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nebula-cert-"));
  writeFileSync(path("ca.crt"), ca.certificatePem);
  writeFileSync(path("ca.key"), encodePem("NEBULA ED25519 PRIVATE KEY", ca.privateKey), { mode: 0o600 });
  writeFileSync(path("host.crt"), encodePem("NEBULA CERTIFICATE", encodeCertificateV1(host)));
  writeFileSync(path("host.pub"), encodePem("NEBULA X25519 PUBLIC KEY", host.details.publicKey));
  writeFileSync(path("ca-v2.crt"), caV2.certificatePem);
  writeFileSync(path("host-v2.crt"), encodePem("NEBULA CERTIFICATE V2", encodeCertificateV2(hostV2)));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(binaries)("the real nebula-cert $version", ({ version, nebulaCert }) => {
  const speaksV2 = nebulaCapabilities(version).certificateV2;

  function run(...parameters: string[]): string {
    return execFileSync(nebulaCert, parameters, { encoding: "utf8", stdio: "pipe" });
  }

  /** Newer versions print a list and use other names. */
  function print(file: string): Record<string, unknown> {
    const printed: unknown = JSON.parse(run("print", "-json", "-path", path(file)));
    const [only] = [printed].flat() as [Record<string, unknown>];
    const details = only.details as Record<string, unknown>;
    return {
      ...only,
      details,
      networks: details.networks ?? details.ips ?? [],
      unsafeNetworks: details.unsafeNetworks ?? details.subnets ?? [],
      groups: details.groups ?? [],
      publicKey: only.publicKey ?? details.publicKey,
    };
  }

  it("prints our host certificate correctly", () => {
    expect(print("host.crt")).toMatchObject({
      details: { name: "host-a", isCa: false, issuer: ca.fingerprint },
      networks: ["100.100.0.29/22"],
      unsafeNetworks: ["192.168.14.0/26"],
      groups: ["role:abc", "tag:env:prod"],
      publicKey: hex(host.details.publicKey),
      fingerprint: fingerprintV1(host),
      signature: hex(host.signature),
    });
  });

  it("prints our CA correctly", () => {
    expect(print("ca.crt")).toMatchObject({
      details: { name: "Küste ☀", isCa: true, issuer: "" },
      networks: [],
      unsafeNetworks: [],
      groups: [],
      fingerprint: ca.fingerprint,
    });
  });

  it("verifies our host certificate against our CA", () => {
    expect(run("verify", "-ca", path("ca.crt"), "-crt", path("host.crt"))).toBe("");
  });

  it("rejects our host certificate once a byte of its signature is changed", () => {
    const signature = host.signature.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
    writeFileSync(
      path("forged.crt"),
      encodePem("NEBULA CERTIFICATE", encodeCertificateV1({ ...host, signature })),
    );
    expect(() => run("verify", "-ca", path("ca.crt"), "-crt", path("forged.crt"))).toThrow(/signature/);
  });

  it("signs certificates with our CA key that we can verify", () => {
    rmSync(path("theirs.crt"), { force: true });
    run(
      "sign",
      ...(speaksV2 ? ["-version=1"] : []),
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

  it("creates CAs that we can decode and sign with", () => {
    const [crt, key] = [path(`theirs-${version}.crt`), path(`theirs-${version}.key`)];
    const limits = ["-groups=a,b", "-ips=10.0.0.0/8"];
    run(
      "ca",
      ...(speaksV2 ? ["-version=1"] : []),
      "-name=theirs",
      ...limits,
      `-out-crt=${crt}`,
      `-out-key=${key}`,
    );
    const theirs = readCertificate(`theirs-${version}.crt`);
    expect(theirs.details).toMatchObject({
      networks: [{ address: 0x0a000000, prefixLength: 8 }],
      groups: ["a", "b"],
    });
    const issued = createSigner(decodePem("NEBULA ED25519 PRIVATE KEY", readFileSync(key, "utf8"))).issueV1({
      ...HOST_VECTOR.details,
      networks: [{ address: 0x0a010203, prefixLength: 16 }],
      unsafeNetworks: [],
      groups: ["b"],
      notBefore: theirs.details.notBefore,
      notAfter: theirs.details.notAfter,
      issuer: fingerprintV1(theirs),
    });
    writeFileSync(path("ours.crt"), issued.pem);
    expect(run("verify", "-ca", crt, "-crt", path("ours.crt"))).toBe("");
    expect(print("ours.crt").fingerprint).toBe(issued.fingerprint);
  });

  it("decodes hostile names and groups correctly", () => {
    fc.assert(
      fc.property(hostileTexts, fc.array(hostileTexts, { maxLength: 3 }), (name, groups) => {
        const issued = signer.issueV1({ ...host.details, name, groups });
        writeFileSync(path("hostile.crt"), issued.pem);
        run("verify", "-ca", path("ca.crt"), "-crt", path("hostile.crt"));
        const { fingerprint, details } = print("hostile.crt");
        expect({ fingerprint, ...(details as object) }).toMatchObject({
          fingerprint: issued.fingerprint,
          name,
        });
        expect(print("hostile.crt").groups).toEqual(groups);
      }),
      { numRuns: 15 },
    );
  });

  it("prints and verifies version 2 if supported", () => {
    const verify = () => run("verify", "-ca", path("ca-v2.crt"), "-crt", path("host-v2.crt"));
    if (!speaksV2) {
      expect(verify).toThrow();
      return;
    }
    expect(verify()).toBe("");
    expect(print("ca-v2.crt")).toMatchObject({ version: 2, fingerprint: caV2.fingerprint });
    expect(print("host-v2.crt")).toMatchObject({
      version: 2,
      details: { name: "host-a", isCa: false, issuer: caV2.fingerprint },
      networks: ["100.100.0.29/22", "fd00::1d/64"],
      unsafeNetworks: ["192.168.14.0/26", "fd01::/48"],
      groups: ["role:abc", "tag:env:prod"],
      fingerprint: fingerprintV2(hostV2),
      signature: hex(hostV2.signature),
    });
  });
});

describe("version 2 with the newest nebula-cert", () => {
  const newest = binaries.at(-1)?.nebulaCert ?? "";
  const run = (...parameters: string[]) =>
    execFileSync(newest, parameters, { encoding: "utf8", stdio: "pipe" });

  it("signs certificates with our CA key that we can read, write and verify", () => {
    writeFileSync(path("ca-v2.key"), encodePem("NEBULA ED25519 PRIVATE KEY", caV2.privateKey), {
      mode: 0o600,
    });
    run(
      "sign",
      "-version=2",
      `-ca-crt=${path("ca-v2.crt")}`,
      `-ca-key=${path("ca-v2.key")}`,
      `-in-pub=${path("host.pub")}`,
      `-out-crt=${path("theirs-v2.crt")}`,
      "-name=日本",
      "-networks=fd00::5/64,10.1.2.3/16",
      "-groups=b,a",
    );
    const text = readFileSync(path("theirs-v2.crt"), "utf8");
    const theirs = readCertificateV2(text);
    expect(encodePem("NEBULA CERTIFICATE V2", encodeCertificateV2(theirs))).toBe(text);
    expect(theirs.details).toMatchObject({
      name: "日本",
      networks: ["10.1.2.3/16", "fd00::5/64"].map(parseIpPrefix),
    });
    const at = new Date(now.getTime() + 60_000);
    expect(verifyV2({ certificate: theirs, ca: readCertificateV2(caV2.certificatePem), at })).toEqual({
      ok: true,
    });
  });

  it("rejects our host certificate once a byte of its signature is changed", () => {
    const signature = hostV2.signature.map((byte, index) => (index === 0 ? byte ^ 1 : byte));
    writeFileSync(
      path("forged-v2.crt"),
      encodePem("NEBULA CERTIFICATE V2", encodeCertificateV2({ ...hostV2, signature })),
    );
    expect(() => run("verify", "-ca", path("ca-v2.crt"), "-crt", path("forged-v2.crt"))).toThrow(/signature/);
  });

  it("decodes hostile names and groups correctly", () => {
    fc.assert(
      fc.property(hostileTexts, fc.array(hostileTexts, { maxLength: 3 }), (name, groups) => {
        const issued = signerV2.issueV2({ ...hostV2.details, name, groups });
        writeFileSync(path("hostile-v2.crt"), issued.pem);
        run("verify", "-ca", path("ca-v2.crt"), "-crt", path("hostile-v2.crt"));
        const [printed] = JSON.parse(run("print", "-json", "-path", path("hostile-v2.crt")));
        expect(printed).toMatchObject({ fingerprint: issued.fingerprint, details: { name } });
        expect(printed.details.groups ?? []).toEqual(groups);
      }),
      { numRuns: 15 },
    );
  });
});

function path(name: string): string {
  return join(folder, name);
}

function readCertificate(name: string): CertificateV1 {
  return decodeCertificateV1(decodePem("NEBULA CERTIFICATE", readFileSync(path(name), "utf8")));
}

function readCertificateV2(text: string): CertificateV2 {
  return decodeCertificateV2(decodePem("NEBULA CERTIFICATE V2", text));
}
