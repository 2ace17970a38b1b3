// P256 signatures as Nebula stores them: two integers, r and s, in ASN.1 DER. For every signature (r, s), (r, n - s) is
// valid too. Nebula signs with the lower s, since 1.10.3; older versions with either.

import { ByteWriter } from "./bytes.ts";
import { readElements, writeElement } from "./der.ts";
import { FormatError } from "./format-error.ts";

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const COORDINATE_LENGTH = 32;

/** The number of points of the curve. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

interface EcdsaSignature {
  readonly r: bigint;
  readonly s: bigint;
}

/** From r and s as 32 bytes each. */
export function encodeLowerSignature(bytes: Uint8Array): Uint8Array {
  const r = toBigInt(bytes.subarray(0, COORDINATE_LENGTH));
  const s = toBigInt(bytes.subarray(COORDINATE_LENGTH));
  const other = ORDER - s;
  return encode({ r, s: s < other ? s : other });
}

/** The other valid signature of the same bytes by the same key. */
export function otherSignature(signature: Uint8Array): Uint8Array {
  const { r, s } = decode(signature);
  return encode({ r, s: ORDER - s });
}

export function isEcdsaSignature(signature: Uint8Array): boolean {
  try {
    const { r, s } = decode(signature);
    const isInRange = [r, s].every((value) => value > 0n && value < ORDER);
    return isInRange && encode({ r, s }).every((byte, index) => byte === signature[index]);
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

function encode({ r, s }: EcdsaSignature): Uint8Array {
  const writer = new ByteWriter();
  writeElement(writer, SEQUENCE, () => {
    for (const value of [r, s]) writeElement(writer, INTEGER, () => writeBigInt(writer, value));
  });
  return writer.finish();
}

function decode(signature: Uint8Array): EcdsaSignature {
  const [sequence, ...others] = readElements(signature);
  const [r, s, ...rest] = sequence?.tag === SEQUENCE ? readElements(sequence.content) : [];
  if (r?.tag !== INTEGER || s?.tag !== INTEGER || others.length + rest.length > 0) {
    throw new FormatError("a P256 signature must be a sequence of two integers");
  }
  return { r: toBigInt(r.content), s: toBigInt(s.content) };
}

/** With as few bytes as possible, including the sign bit. */
function writeBigInt(writer: ByteWriter, value: bigint): void {
  const digits = value.toString(16);
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  if (Number.parseInt(even.slice(0, 2), 16) >= 128) writer.byte(0);
  writer.hex(even);
}

function toBigInt(bytes: Uint8Array): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}
