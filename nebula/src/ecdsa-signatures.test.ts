import crypto from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytes, hex } from "../test-data/certificate-v1-vectors.ts";
import { encodeLowerSignature, isEcdsaSignature, otherSignature } from "./ecdsa-signatures.ts";
import { generateP256Key, isSignedBy } from "./signing-keys.ts";

const HALF_ORDER = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n;

/** The second integer of an encoded signature. */
function sOf(signature: Uint8Array): bigint {
  const start = 4 + (signature[3] ?? 0) + 2;
  return BigInt(`0x${hex(signature.subarray(start))}`);
}

describe("a P256 signature", () => {
  const { publicKey, privateKey } = generateP256Key();
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map((part) =>
    Buffer.from(part).toString("base64url"),
  );
  const key = crypto.createPrivateKey({
    key: { kty: "EC", crv: "P-256", x: x!, y: y!, d: Buffer.from(privateKey).toString("base64url") },
    format: "jwk",
  });

  it("has the lower s, and the other one is valid too", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (message) => {
        const raw = crypto.sign("sha256", message, { key, dsaEncoding: "ieee-p1363" });
        const lower = encodeLowerSignature(raw);
        const higher = otherSignature(lower);
        expect(sOf(lower) <= HALF_ORDER).toBe(true);
        expect(sOf(higher) > HALF_ORDER).toBe(true);
        expect(otherSignature(higher)).toEqual(lower);
        for (const signature of [lower, higher]) {
          expect(isEcdsaSignature(signature)).toBe(true);
          expect(isSignedBy(message, signature, publicKey)).toBe(true);
        }
      }),
    );
  });

  it.each([
    ["with the smallest numbers", "3006020101020101", true],
    ["with a byte for the sign", "300702020080020101", true],
    ["without a byte for the sign", "3006020180020101", false],
    ["with a zero too many", "300702020001020101", false],
    ["with r = 0", "3006020100020101", false],
    ["with one number", "3003020101", false],
    ["with three numbers", "3009020101020101020101", false],
    ["with another tag", "3006040101020101", false],
    ["with bytes after it", "300602010102010100", false],
    ["of curve 25519", "11".repeat(64), false],
    ["without bytes", "", false],
  ])("%s is accepted only in canonical form", (_, text, isValid) => {
    expect(isEcdsaSignature(bytes(text))).toBe(isValid);
  });

  it("is rejected if s is the order of the curve or more", () => {
    const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    expect(isEcdsaSignature(bytes(`3026020101022100${order}`))).toBe(false);
  });
});
