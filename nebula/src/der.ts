// The subset of ASN.1 DER that Nebula uses: one-byte tags, definite lengths and non-negative integers.

import type { ByteWriter } from "./bytes.ts";
import { FormatError } from "./format-error.ts";

export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
}

const LONG_LENGTH = 0x80;
const LENGTH_BYTES_MAX = 4;

export function writeElement(writer: ByteWriter, tag: number, writeContent: () => void): void {
  writer.byte(tag);
  const start = writer.length;
  writeContent();
  const length = writer.length - start;
  writer.insert(start, length < LONG_LENGTH ? [length] : longLength(length));
}

/** Writes the content of an integer with as few bytes as possible, including the sign bit. */
export function writeInteger(writer: ByteWriter, value: number): void {
  const bytes = bigEndian(value);
  if ((bytes[0] ?? 0) >= 128) writer.byte(0);
  for (const byte of bytes) writer.byte(byte);
}

export function readInteger(content: Uint8Array): number {
  const value = content.reduce((sum, byte) => sum * 256 + byte, 0);
  if (!Number.isSafeInteger(value)) throw new FormatError("an integer is too large");
  return value;
}

/** Reads consecutive elements. Lengths in non-canonical form are accepted; the caller must reject them. */
export function readElements(bytes: Uint8Array): DerElement[] {
  const elements: DerElement[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const { length, start } = readLength(bytes, offset + 1);
    const end = start + length;
    if (end > bytes.length) throw new FormatError("an element is longer than its parent");
    elements.push({ tag: bytes[offset] ?? 0, content: bytes.slice(start, end) });
    offset = end;
  }
  return elements;
}

function readLength(bytes: Uint8Array, offset: number): { length: number; start: number } {
  const first = bytes[offset];
  if (first === undefined) throw new FormatError("an element is truncated");
  if (first < LONG_LENGTH) return { length: first, start: offset + 1 };
  const count = first - LONG_LENGTH;
  const start = offset + 1 + count;
  if (count === 0 || count > LENGTH_BYTES_MAX || start > bytes.length) {
    throw new FormatError("an element has an invalid length");
  }
  return { length: readInteger(bytes.subarray(offset + 1, start)), start };
}

function longLength(length: number): number[] {
  const bytes = bigEndian(length);
  return [LONG_LENGTH + bytes.length, ...bytes];
}

function bigEndian(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes.length === 0 ? [0] : bytes;
}
