import { FormatError } from "./format-error.ts";

/** Every banner Nebula knows, with the number of bytes under it where that is fixed. */
const PAYLOAD_LENGTHS = {
  "NEBULA CERTIFICATE": undefined,
  "NEBULA CERTIFICATE V2": undefined,
  "NEBULA X25519 PUBLIC KEY": 32,
  "NEBULA X25519 PRIVATE KEY": 32,
  "NEBULA P256 PUBLIC KEY": 65,
  "NEBULA P256 PRIVATE KEY": 32,
  "NEBULA ED25519 PUBLIC KEY": 32,
  "NEBULA ED25519 PRIVATE KEY": 64,
  "NEBULA ECDSA P256 PUBLIC KEY": 65,
  "NEBULA ECDSA P256 PRIVATE KEY": 32,
  "NEBULA ED25519 ENCRYPTED PRIVATE KEY": undefined,
  "NEBULA ECDSA P256 ENCRYPTED PRIVATE KEY": undefined,
} as const satisfies Record<string, number | undefined>;

export type PemBanner = keyof typeof PAYLOAD_LENGTHS;

const BYTES_PER_LINE = 48;

export function encodePem(banner: PemBanner, payload: Uint8Array): string {
  const expected = PAYLOAD_LENGTHS[banner];
  if (payload.length === 0 || (expected !== undefined && payload.length !== expected)) {
    throw new FormatError(`${payload.length} bytes cannot be a ${banner}`);
  }
  const lines: string[] = [];
  for (let offset = 0; offset < payload.length; offset += BYTES_PER_LINE) {
    lines.push(btoa(String.fromCharCode(...payload.subarray(offset, offset + BYTES_PER_LINE))));
  }
  return `${beginLine(banner)}${lines.join("\n")}\n${endLine(banner)}`;
}

/** Reads exactly what `encodePem` writes: one block, nothing before, between or after. */
export function decodePem(banner: PemBanner, text: string): Uint8Array {
  const begin = beginLine(banner);
  const end = endLine(banner);
  if (!text.startsWith(begin) || !text.endsWith(end)) throw new FormatError(`this is not one ${banner}`);
  const payload = decodeBase64(text.slice(begin.length, -end.length));
  if (payload === undefined || encodePem(banner, payload) !== text) {
    throw new FormatError(`the text under ${banner} is not its base64 in lines of 64`);
  }
  return payload;
}

function beginLine(banner: PemBanner): string {
  return `-----BEGIN ${banner}-----\n`;
}

function endLine(banner: PemBanner): string {
  return `-----END ${banner}-----\n`;
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
