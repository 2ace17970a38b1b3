// The subset of the protobuf wire format that Nebula uses: varints and length-delimited fields, with non-negative
// integers up to Number.MAX_SAFE_INTEGER.

import type { ByteWriter } from "./bytes.ts";
import { FormatError } from "./format-error.ts";

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const VARINT_LENGTH_MAX = 8;

export type ProtobufFields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

/** Zero is omitted, as in proto3. */
export function writeNumber(writer: ByteWriter, field: number, value: number): void {
  if (value === 0) return;
  writeVarint(writer, field * 8 + VARINT);
  writeVarint(writer, value);
}

/** Written even if empty: elements of repeated fields and present messages must not be omitted. */
export function writeField(writer: ByteWriter, field: number, writeContent: () => void): void {
  writeVarint(writer, field * 8 + LENGTH_DELIMITED);
  const start = writer.length;
  writeContent();
  writer.insert(start, varint(writer.length - start));
}

export function writeVarint(writer: ByteWriter, value: number): void {
  let rest = value;
  while (rest >= 128) {
    writer.byte((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  writer.byte(rest);
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
      if (offset > bytes.length) throw new FormatError("a protobuf field is longer than its message");
      value = bytes.slice(head.end, offset);
    } else if (wireType !== VARINT) {
      throw new FormatError(`protobuf wire type ${wireType} isn't supported`);
    }
    const field = Math.floor(key.value / 8);
    const values = fields.get(field);
    if (values === undefined) fields.set(field, [value]);
    else values.push(value);
  }
  return fields;
}

function readVarint(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0;
  for (let index = 0; start + index < bytes.length; index += 1) {
    const byte = bytes[start + index] ?? 0;
    value += (byte % 128) * 128 ** index;
    if (index === VARINT_LENGTH_MAX || value > Number.MAX_SAFE_INTEGER) {
      throw new FormatError("a protobuf integer is too large");
    }
    if (byte < 128) return { value, end: start + index + 1 };
  }
  throw new FormatError("a protobuf integer is truncated");
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
