/** The public keys of hosts: PEM in messages of agents, and 32 bytes in the database. */
import { createPublicKey, verify } from "node:crypto";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

const KEY_LENGTH = 32;
/** The DER bytes before an Ed25519 key. */
const ED25519_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** Undefined unless the text is exactly one block with this banner. */
function readPem(banner: string, base64: string | null): Buffer | undefined {
  const text = Buffer.from(base64 ?? "", "base64").toString("latin1");
  const block = new RegExp(`^-----BEGIN ${banner}-----\n([\\w+/=\n]+)\n-----END ${banner}-----\n?$`).exec(
    text,
  );
  return block?.[1] === undefined ? undefined : Buffer.from(block[1], "base64");
}

const invalidKey = (path: string, format: string) =>
  new ApiError("ERR_INVALID_VALUE", { path, message: `must be ${format}` });

/** The key that verifies the messages of a host. */
export function readSigningKey(base64: string | null, path: string): Buffer {
  const der = readPem("DEFINED HOST ED25519 PUBLIC KEY", base64);
  const isEd25519 = der?.length === ED25519_PREFIX.length + KEY_LENGTH && der.indexOf(ED25519_PREFIX) === 0;
  if (!der || !isEd25519) throw invalidKey(path, "an Ed25519 host key in PEM");
  return der.subarray(ED25519_PREFIX.length);
}

/** The key of the host's tunnels and certificate. */
export function readTunnelKey(base64: string | null, path: string): Buffer {
  const key = readPem("NEBULA X25519 PUBLIC KEY", base64);
  if (key?.length !== KEY_LENGTH) throw invalidKey(path, "an X25519 key in PEM");
  return key;
}

/** Verifies the text as it was sent, before base64 is decoded. */
export function isSignedBy(signingKey: Buffer, text: string, signature: string): boolean {
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: signingKey.toString("base64url") },
    format: "jwk",
  });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"));
}
