/** Private keys, looked for in whatever form they could have leaked in. */

const BANNERS = /-----[^-]+-----/g;
const BASE64 = /[\w+/-]{24,}={0,2}/g;
const DEPTH_MAX = 6;
/** The bytes of a private key end with its seed. */
const SEED_LENGTH = 32;

const bytesOf = (pem: string) => Buffer.from(pem.replace(BANNERS, ""), "base64").subarray(-SEED_LENGTH);

/** Text, and all that is in it as base64, and in that again. */
function* layersOf(text: string, depth = 0): Generator<string> {
  yield text;
  if (depth === DEPTH_MAX) return;
  for (const [token] of text.matchAll(BASE64))
    yield* layersOf(Buffer.from(token, "base64").toString("latin1"), depth + 1);
}

/** Whether one of the private keys can be read out of the text. */
export function reveals(text: string, privateKeys: readonly string[]): boolean {
  const seeds = privateKeys.map(bytesOf);
  const forms = seeds.flatMap((seed) =>
    (["latin1", "hex", "base64", "base64url"] as const).map((encoding) => seed.toString(encoding)),
  );
  for (const layer of layersOf(text)) if (forms.some((form) => layer.includes(form))) return true;
  return false;
}
