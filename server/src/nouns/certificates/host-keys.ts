/** The public keys of hosts: PEM in messages of agents, and bytes in the database. The length tells the curve. */
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { promisify } from "node:util";
import { type Curve, curveFormats, curveOf } from "@lightkeeper/nebula";
import { ApiError } from "../../infrastructure/errors/api-error.ts";

const COORDINATE_LENGTH = 32;
const UNCOMPRESSED = 4;

/** In another thread: verifying is the most expensive part of a message, and the main thread is the bottleneck. */
const verifyInThread = promisify(verify);

/** The DER bytes before a key. */
const DER_PREFIXES: Record<Curve, Buffer> = {
  "25519": Buffer.from("302a300506032b6570032100", "hex"),
  P256: Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex"),
};
const SIGNING_BANNERS: Record<Curve, string> = {
  "25519": "DEFINED HOST ED25519 PUBLIC KEY",
  P256: "DEFINED HOST P256 PUBLIC KEY",
};
const TUNNEL_BANNERS: Record<Curve, string> = {
  "25519": "NEBULA X25519 PUBLIC KEY",
  P256: "NEBULA P256 PUBLIC KEY",
};

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

export interface KeyToRead {
  curve: Curve;
  /** PEM in base64, as the message contains it. */
  base64: string | null;
  path: string;
}

/** The key that verifies the messages of a host. */
export function readSigningKey({ curve, base64, path }: KeyToRead): Buffer {
  const der = readPem(SIGNING_BANNERS[curve], base64);
  const prefix = DER_PREFIXES[curve];
  const key = der?.indexOf(prefix) === 0 ? der.subarray(prefix.length) : undefined;
  if (!key || !isKeyOf(curve, key))
    throw invalidKey(path, `${curve === "P256" ? "a P256" : "an Ed25519"} host key in PEM`);
  return key;
}

/** The key of the host's tunnels and certificate. */
export function readTunnelKey({ curve, base64, path }: KeyToRead): Buffer {
  const key = readPem(TUNNEL_BANNERS[curve], base64);
  if (!key || !isKeyOf(curve, key))
    throw invalidKey(path, `${curve === "P256" ? "a P256" : "an X25519"} key in PEM`);
  return key;
}

/** A P256 key must be a point of the curve. */
function isKeyOf(curve: Curve, key: Buffer): boolean {
  if (key.length !== curveFormats[curve].publicKeyLength) return false;
  if (curve === "25519") return true;
  if (key[0] !== UNCOMPRESSED) return false;
  try {
    toP256Key(key);
    return true;
  } catch {
    return false;
  }
}

/** From JWK, which OpenSSL decodes several times as fast as DER. */
function toP256Key(key: Buffer): KeyObject {
  const coordinates = key.subarray(1);
  const [x, y] = [coordinates.subarray(0, COORDINATE_LENGTH), coordinates.subarray(COORDINATE_LENGTH)];
  const jwk = { kty: "EC", crv: "P-256", x: x.toString("base64url"), y: y.toString("base64url") };
  return createPublicKey({ key: jwk, format: "jwk" });
}

function toEd25519Key(key: Buffer): KeyObject {
  const jwk = { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") };
  return createPublicKey({ key: jwk, format: "jwk" });
}

/** Verifies the text as it was sent, before base64 is decoded. */
export function isSignedBy(signingKey: Uint8Array, text: string, signature: string): Promise<boolean> {
  const [key, bytes] = [Buffer.from(signingKey), Buffer.from(signature, "base64")];
  return curveOf(key) === "P256"
    ? verifyInThread("sha256", Buffer.from(text), toP256Key(key), bytes)
    : verifyInThread(null, Buffer.from(text), toEd25519Key(key), bytes);
}
