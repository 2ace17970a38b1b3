// The part of the protobuf wire format that Nebula uses: varints and length-delimited fields.
// Integers go up to Number.MAX_SAFE_INTEGER and are never negative.

import { FormatError } from "./format-error.ts";

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const MAX_VARINT_LENGTH = 8;

export type ProtobufFields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

/** As proto3 has it, zero is not written. */
export function numberField(field: number, value: number): Uint8Array {
  return value === 0 ? new Uint8Array() : writeVarints([field * 8 + VARINT, value]);
}

/** Written even when empty: an element of a repeated field, or a message that is present. */
export function bytesField(field: number, value: Uint8Array): Uint8Array {
  return concatBytes([writeVarints([field * 8 + LENGTH_DELIMITED, value.length]), value]);
}

/** As proto3 has it, an empty value is not written. */
export function optionalBytesField(field: number, value: Uint8Array): Uint8Array {
  return value.length === 0 ? value : bytesField(field, value);
}

export function writeVarints(values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) {
    let rest = value;
    while (rest >= 128) {
      bytes.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    bytes.push(rest);
  }
  return Uint8Array.from(bytes);
}

export function readVarints(bytes: Uint8Array): number[] {
  const values: number[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const { value, end } = readVarint(bytes, offset);
    values.push(value);
    offset = end;
  }
  return values;
}

/** Every field with its values in the order they came, known or not: the reader picks. */
export function readFields(bytes: Uint8Array): ProtobufFields {
  const fields = new Map<number, (number | Uint8Array)[]>();
  let offset = 0;
  while (offset < bytes.length) {
    const key = readVarint(bytes, offset);
    const head = readVarint(bytes, key.end);
    const wireType = key.value % 8;
    let value: number | Uint8Array = head.value;
    offset = head.end;
    if (wireType === LENGTH_DELIMITED) {
      offset += head.value;
      if (offset > bytes.length) throw new FormatError("a protobuf field ends after its message");
      value = bytes.slice(head.end, offset);
    } else if (wireType !== VARINT) {
      throw new FormatError(`protobuf wire type ${wireType} is not used by Nebula`);
    }
    const field = Math.floor(key.value / 8);
    const values = fields.get(field);
    if (values === undefined) fields.set(field, [value]);
    else values.push(value);
  }
  return fields;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function readVarint(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let index = 0; start + index < bytes.length; index += 1) {
    const byte = bytes[start + index] ?? 0;
    value += (byte % 128) * 128 ** index;
    if (index === MAX_VARINT_LENGTH || value > Number.MAX_SAFE_INTEGER) {
      throw new FormatError("a protobuf integer is too large");
    }
    if (byte < 128) return { value, end: start + index + 1 };
  }
  throw new FormatError("a protobuf integer is cut short");
}
