import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { encodePem } from "@lightkeeper/nebula";
import { describe, expect, it } from "vitest";
import { createHostKeys, createNebulaKeys, signAsHost } from "./keys.ts";
import { verifyReply, parseTrustedKeys, toBase64, writeRequest } from "./protocol.ts";

const PKCS8_PREFIX = "302e020100300506032b657004220420";
const seed = (value: number) => Buffer.concat([Buffer.from(PKCS8_PREFIX, "hex"), Buffer.alloc(32, value)]);
const hostKey = `-----BEGIN DEFINED HOST ED25519 PRIVATE KEY-----\n${toBase64(seed(3))}\n-----END DEFINED HOST ED25519 PRIVATE KEY-----\n`;
const trusted =
  "-----BEGIN NEBULA ED25519 PUBLIC KEY-----\nypOsFwUYcHHWe4PH/w7+gQjo7EUwV113JoeTM9vavnw=\n-----END NEBULA ED25519 PUBLIC KEY-----\n";
const signedReply = {
  version: 1,
  message: "eyJsb2dpblVSTCI6Imh0dHBzOi8vZXhhbXBsZS50ZXN0L2xvZ2luIn0=",
  signature: "rrmj7X61ReT5w2QXufM5wODxf7tg6UFgH0R1lxxcfiHnqFPxK9hihcEataYGTV39xvawbjfC3lnDTElgSvTAAQ==",
} as const;

describe("a request", () => {
  it("equals the published example byte for byte", () => {
    const credentials = { hostID: "host-24NVITKMNU3CYCEDNFWKAOBX7I", counter: 1, hostKey };
    expect(writeRequest(credentials, "CheckForUpdate", undefined, "2026-01-02T03:04:05.678901234Z")).toBe(
      '{"version":1,"hostID":"host-24NVITKMNU3CYCEDNFWKAOBX7I","counter":1,"message":"eyJ0eXBlIjoiQ2hlY2tGb3JVcGRhdGUiLCJ2YWx1ZSI6bnVsbCwidGltZXN0YW1wIjoiMjAyNi0wMS0wMlQwMzowNDowNS42Nzg5MDEyMzRaIn0=","signature":"VFXqA4pL47iX2D+15piw5mB2g1VFKrWwmqJFmyltFopgCqCkQdIuXFGv2mxQv+gZntFeewW1UMinsJwFBF6mCw=="}',
    );
  });

  it("carries its value as the base64 of its JSON", () => {
    const credentials = { hostID: "host-A", counter: 7, hostKey };
    const envelope = JSON.parse(
      writeRequest(credentials, "LongPollWait", { supportedActions: ["DoUpdate"] }, "now"),
    );
    const message = JSON.parse(Buffer.from(envelope.message, "base64").toString());
    expect(message).toEqual({ type: "LongPollWait", value: expect.any(String), timestamp: "now" });
    expect(JSON.parse(Buffer.from(message.value, "base64").toString())).toEqual({
      supportedActions: ["DoUpdate"],
    });
  });
});

describe("a signed reply", () => {
  it("equals the published example byte for byte", () => {
    expect(verifyReply(signedReply, trusted).toString()).toBe('{"loginURL":"https://example.test/login"}');
  });

  it("may be signed by any trusted key", () => {
    const other = encodePem("NEBULA ED25519 PUBLIC KEY", Buffer.alloc(32, 9));
    expect(verifyReply(signedReply, other + trusted).length).toBe(41);
  });

  it("may be signed with P-256", () => {
    const { publicKey, privateKey } = createHostKeys("P256");
    const der = Buffer.from(publicKey.replace(/-----.*-----/g, ""), "base64");
    const bundle = encodePem("NEBULA ECDSA P256 PUBLIC KEY", der.subarray(-65));
    const message = Buffer.from("{}");
    const reply = {
      version: 1,
      message: toBase64(message),
      signature: toBase64(signAsHost(privateKey, message)),
    } as const;
    expect(verifyReply(reply, bundle)).toEqual(message);
  });

  it.each([
    ["another message", { ...signedReply, message: toBase64("{}") }, trusted],
    ["no signature", { ...signedReply, signature: "" }, trusted],
    ["a key we do not trust", signedReply, encodePem("NEBULA ED25519 PUBLIC KEY", Buffer.alloc(32, 9))],
  ])("is rejected with %s", (_, reply, keys) => {
    expect(() => verifyReply(reply, keys)).toThrow("not signed by a trusted key");
  });

  it("signs the decoded bytes, not the base64", () => {
    const key = createPrivateKey({ key: seed(4), format: "der", type: "pkcs8" });
    const signature = toBase64(sign(null, Buffer.from(signedReply.message), key));
    expect(() => verifyReply({ ...signedReply, signature }, trusted)).toThrow("not signed");
  });
});

describe("trusted keys", () => {
  it("are consecutive PEM blocks", () => {
    expect(parseTrustedKeys(trusted + trusted)).toHaveLength(2);
  });

  it.each([
    ["an empty text", ""],
    ["a line after the last block", `${trusted}\n`],
    ["text before the first block", `x${trusted}`],
    ["an incomplete block", trusted.slice(0, -30)],
    ["a block of another kind", encodePem("NEBULA X25519 PUBLIC KEY", Buffer.alloc(32))],
    ["a key of the wrong length", trusted.replace("ypOsFwUY", "")],
  ])("are rejected as %s", (_, bundle) => {
    expect(() => parseTrustedKeys(bundle)).toThrow();
  });
});

describe("keys", () => {
  it.each([
    ["25519", "DEFINED HOST ED25519", 44],
    ["P256", "DEFINED HOST P256", 91],
  ] as const)("for signing, of curve %s, have the right PEM names and sign", (curve, name, length) => {
    const { publicKey, privateKey } = createHostKeys(curve);
    expect(publicKey).toMatch(
      new RegExp(`^-----BEGIN ${name} PUBLIC KEY-----\n(.{1,64}\n)+-----END ${name} PUBLIC KEY-----\n$`),
    );
    expect(privateKey).toMatch(new RegExp(`^-----BEGIN ${name} PRIVATE KEY-----\n`));
    const der = Buffer.from(publicKey.replace(/-----.*-----/g, ""), "base64");
    expect(der).toHaveLength(length);
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    const data = Buffer.from("data");
    const algorithm = curve === "25519" ? null : "sha256";
    expect(verify(algorithm, data, key, signAsHost(privateKey, data))).toBe(true);
  });

  it("for signing match the published keys", () => {
    const key = createPublicKey(createPrivateKey({ key: seed(3), format: "der", type: "pkcs8" }));
    const der = key.export({ type: "spki", format: "der" });
    expect(toBase64(der)).toBe("MCowBQYDK2VwAyEA7UkoxijRwsbq6QM4kFmVYSlZJzpcY/k2NsFGFKyHN9E=");
  });

  it.each([
    ["25519", "NEBULA X25519"],
    ["P256", "NEBULA P256"],
  ] as const)("for tunnels, of curve %s, have the right PEM names", (curve, name) => {
    const { publicKey, privateKey } = createNebulaKeys(curve);
    expect(publicKey).toContain(`-----BEGIN ${name} PUBLIC KEY-----`);
    expect(privateKey).toContain(`-----BEGIN ${name} PRIVATE KEY-----`);
  });

  it("for nebula keep their length when they begin with zeros", () => {
    // Every 256th key begins with a zero, so some of these do.
    for (let round = 0; round < 2000; round += 1)
      expect(createNebulaKeys("P256").privateKey).toHaveLength(123);
  });
});
