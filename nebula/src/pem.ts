import { FormatError } from "./format-error.ts";

/** All of Nebula's PEM banners, with the payload's length if it's fixed. */
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

const CHUNK_LENGTH = 4096;
const LINE_LENGTH = 64;

export function encodePem(banner: PemBanner, payload: Uint8Array): string {
  const expected = PAYLOAD_LENGTHS[banner];
  if (payload.length === 0 || (expected !== undefined && payload.length !== expected)) {
    throw new FormatError(`a ${banner} can't have ${payload.length} bytes`);
  }
  const base64 = btoa(toBinaryString(payload));
  let lines = "";
  for (let offset = 0; offset < base64.length; offset += LINE_LENGTH) {
    lines += `${base64.slice(offset, offset + LINE_LENGTH)}\n`;
  }
  return beginLine(banner) + lines + endLine(banner);
}

/** Accepts only what `encodePem` writes: one block and nothing else. */
export function decodePem(banner: PemBanner, text: string): Uint8Array {
  const begin = beginLine(banner);
  const end = endLine(banner);
  if (!text.startsWith(begin) || !text.endsWith(end)) throw new FormatError(`must be one ${banner}`);
  const payload = decodeBase64(text.slice(begin.length, -end.length));
  if (payload === undefined || encodePem(banner, payload) !== text) {
    throw new FormatError(`the content of ${banner} must be base64 in lines of 64 characters`);
  }
  return payload;
}

/** Splits a text that consists of consecutive PEM blocks; undefined if it has none, or something else between them. */
export function splitPemBlocks(text: string): string[] | undefined {
  const blocks = text.match(/-----BEGIN [A-Z0-9 ]+-----\n[\s\S]*?-----END [A-Z0-9 ]+-----\n/g);
  return blocks?.join("") === text ? blocks : undefined;
}

function beginLine(banner: PemBanner): string {
  return `-----BEGIN ${banner}-----\n`;
}

function endLine(banner: PemBanner): string {
  return `-----END ${banner}-----\n`;
}

// In chunks, because the number of arguments of a call is limited.
function toBinaryString(bytes: Uint8Array): string {
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += CHUNK_LENGTH) {
    const chunk: string = Reflect.apply(
      String.fromCharCode,
      undefined,
      bytes.subarray(offset, offset + CHUNK_LENGTH),
    );
    text += chunk;
  }
  return text;
}

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
