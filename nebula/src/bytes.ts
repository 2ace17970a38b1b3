import { FormatError } from "./format-error.ts";

const INITIAL_CAPACITY = 512;
const ASCII = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A growing buffer, so that certificates are encoded without joining many small arrays. */
export class ByteWriter {
  #bytes = new Uint8Array(INITIAL_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  bytes(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#bytes.set(source, this.#length);
    this.#length += source.length;
  }

  text(text: string): void {
    if (!ASCII.test(text)) return this.bytes(encoder.encode(text));
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index += 1) {
      this.#bytes[this.#length + index] = text.charCodeAt(index);
    }
    this.#length += text.length;
  }

  hex(text: string): void {
    for (let index = 0; index < text.length; index += 2) {
      this.byte(hexDigit(text.charCodeAt(index)) * 16 + hexDigit(text.charCodeAt(index + 1)));
    }
  }

  /** Inserts bytes at `start`, because a length is known only after its content is written. */
  insert(start: number, prefix: readonly number[]): void {
    this.#reserve(prefix.length);
    this.#bytes.copyWithin(start + prefix.length, start, this.#length);
    this.#bytes.set(prefix, start);
    this.#length += prefix.length;
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

export function encodeText(text: string): Uint8Array {
  return encoder.encode(text);
}

export function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new FormatError("a name or group must be UTF-8");
  }
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function hexDigit(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}
