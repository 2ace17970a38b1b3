/** Searches for private keys in every encoding in which they could leak. */

const BANNERS = /-----[^-]+-----/g;
const BASE64 = /[\w+/-]{24,}={0,2}/g;
const DEPTH_MAX = 6;
/** The bytes of a private key end with its seed. */
const SEED_LENGTH = 32;

const seedOf = (pem: string) => Buffer.from(pem.replace(BANNERS, ""), "base64").subarray(-SEED_LENGTH);

/** Yields the text, everything base64-encoded in it, and so on recursively. */
function* decodeLayers(text: string, depth = 0): Generator<string> {
  yield text;
  if (depth === DEPTH_MAX) return;
  for (const [token] of text.matchAll(BASE64))
    yield* decodeLayers(Buffer.from(token, "base64").toString("latin1"), depth + 1);
}

export function revealsPrivateKey(text: string, privateKeys: readonly string[]): boolean {
  const seeds = privateKeys.map(seedOf);
  const encodings = seeds.flatMap((seed) =>
    (["latin1", "hex", "base64", "base64url"] as const).map((encoding) => seed.toString(encoding)),
  );
  for (const layer of decodeLayers(text)) if (encodings.some((seed) => layer.includes(seed))) return true;
  return false;
}
