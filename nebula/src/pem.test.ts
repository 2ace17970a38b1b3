import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "./format-error.ts";
import { decodePem, encodePem } from "./pem.ts";

const KEY = new Uint8Array(32).fill(2);
const KEY_PEM =
  "-----BEGIN NEBULA X25519 PUBLIC KEY-----\n" +
  "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n" +
  "-----END NEBULA X25519 PUBLIC KEY-----\n";

describe("PEM", () => {
  it("is encoded like Nebula does", () => {
    expect(encodePem("NEBULA X25519 PUBLIC KEY", KEY)).toBe(KEY_PEM);
  });

  it("breaks lines after 64 characters, and only between them", () => {
    const lengths = (size: number) =>
      encodePem("NEBULA CERTIFICATE", new Uint8Array(size))
        .split("\n")
        .slice(1, -2)
        .map((line) => line.length);
    expect(lengths(48)).toEqual([64]);
    expect(lengths(49)).toEqual([64, 4]);
    expect(lengths(100)).toEqual([64, 64, 8]);
  });

  it("is parsed from its own text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 1000 }), (payload) => {
        const text = encodePem("NEBULA CERTIFICATE", payload);
        expect(decodePem("NEBULA CERTIFICATE", text)).toEqual(payload);
      }),
    );
  });

  it.each([
    ["NEBULA X25519 PUBLIC KEY", 32],
    ["NEBULA X25519 PRIVATE KEY", 32],
    ["NEBULA P256 PUBLIC KEY", 65],
    ["NEBULA P256 PRIVATE KEY", 32],
    ["NEBULA ED25519 PUBLIC KEY", 32],
    ["NEBULA ED25519 PRIVATE KEY", 64],
    ["NEBULA ECDSA P256 PUBLIC KEY", 65],
    ["NEBULA ECDSA P256 PRIVATE KEY", 32],
  ] as const)("of a %s has exactly %i bytes", (banner, length) => {
    expect(decodePem(banner, encodePem(banner, new Uint8Array(length)))).toHaveLength(length);
    expect(() => encodePem(banner, new Uint8Array(length - 1))).toThrow(FormatError);
    expect(() => encodePem(banner, new Uint8Array(length + 1))).toThrow(FormatError);
  });

  it("rejects an empty block", () => {
    expect(() => encodePem("NEBULA CERTIFICATE", new Uint8Array())).toThrow(FormatError);
  });

  it("rejects a key of the wrong length when reading", () => {
    const text = encodePem("NEBULA CERTIFICATE", new Uint8Array(31)).replaceAll(
      "CERTIFICATE",
      "X25519 PUBLIC KEY",
    );
    expect(() => decodePem("NEBULA X25519 PUBLIC KEY", text)).toThrow("can't have 31 bytes");
  });

  it("rejects another banner", () => {
    expect(() => decodePem("NEBULA ED25519 PUBLIC KEY", KEY_PEM)).toThrow(
      "must be one NEBULA ED25519 PUBLIC KEY",
    );
  });

  it.each([
    ["an empty text", ""],
    ["an empty block", KEY_PEM.replace(/Ag.*\n/, "")],
    ["text before", `x\n${KEY_PEM}`],
    ["text after", `${KEY_PEM}\n`],
    ["a missing last line break", KEY_PEM.trimEnd()],
    ["two blocks", KEY_PEM + KEY_PEM],
    ["Windows line breaks", KEY_PEM.replaceAll("\n", "\r\n")],
    ["a broken line", KEY_PEM.replace("AgIC", "AgIC\n")],
    ["missing padding", KEY_PEM.replace("=", "")],
    ["stray bits in the last character", KEY_PEM.replace("I=", "J=")],
    ["a character outside the alphabet", KEY_PEM.replace("AgIC", "Ag*C")],
    ["the URL alphabet", KEY_PEM.replace("AgIC", "Ag_C")],
    ["headers", KEY_PEM.replace("AgIC", "Proc-Type: 4\n\nAgIC")],
    ["a different end", KEY_PEM.replace("END NEBULA X25519 PUBLIC", "END NEBULA X25519 PRIVATE")],
  ])("rejects %s", (_, text) => {
    expect(() => decodePem("NEBULA X25519 PUBLIC KEY", text)).toThrow(FormatError);
  });
});
