/** The public keys of hosts, as agents send them and as they are kept: 32 bytes each. */
import { createPublicKey, verify } from "node:crypto";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

const KEY_LENGTH = 32;
/** What stands before an Ed25519 key in DER. */
const ED25519_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** What is under the banner; undefined where the text is anything but that one block. */
function readPem(banner: string, base64: string | null): Buffer | undefined {
  const text = Buffer.from(base64 ?? "", "base64").toString("latin1");
  const block = new RegExp(`^-----BEGIN ${banner}-----\n([\\w+/=\n]+)\n-----END ${banner}-----\n?$`).exec(
    text,
  );
  return block?.[1] === undefined ? undefined : Buffer.from(block[1], "base64");
}

const refuse = (path: string, what: string) =>
  new ApiError("ERR_INVALID_VALUE", { path, message: `must be ${what}` });

/** The key a host signs its messages with. */
export function readSigningKey(base64: string | null, path: string): Buffer {
  const der = readPem("DEFINED HOST ED25519 PUBLIC KEY", base64);
  const isEd25519 = der?.length === ED25519_PREFIX.length + KEY_LENGTH && der.indexOf(ED25519_PREFIX) === 0;
  if (!der || !isEd25519) throw refuse(path, "an Ed25519 host key in PEM");
  return der.subarray(ED25519_PREFIX.length);
}

/** The key its tunnels and its certificate are made for. */
export function readTunnelKey(base64: string | null, path: string): Buffer {
  const key = readPem("NEBULA X25519 PUBLIC KEY", base64);
  if (key?.length !== KEY_LENGTH) throw refuse(path, "an X25519 key in PEM");
  return key;
}

/** Signed is the text as it was sent. */
export function isSignedBy(signingKey: Buffer, text: string, signature: string): boolean {
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: signingKey.toString("base64url") },
    format: "jwk",
  });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"));
}
