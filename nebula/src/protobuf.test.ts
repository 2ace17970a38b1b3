import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteWriter } from "./bytes.ts";
import { FormatError } from "./format-error.ts";
import { readFields, readVarints, writeField, writeVarint } from "./protobuf.ts";

describe("protobuf", () => {
  it.each([
    [0, [0]],
    [127, [127]],
    [128, [0x80, 1]],
    [2 ** 32 - 1, [0xff, 0xff, 0xff, 0xff, 0x0f]],
    [Number.MAX_SAFE_INTEGER, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
  ])("writes %i as a varint and reads it back", (value, encoded) => {
    expect([...writeVarints([value])]).toEqual(encoded);
    expect(readVarints(Uint8Array.from(encoded))).toEqual([value]);
  });

  it("decodes any sequence of integers", () => {
    fc.assert(
      fc.property(fc.array(fc.maxSafeNat()), (values) => {
        expect(readVarints(writeVarints(values))).toEqual(values);
      }),
    );
  });

  it("rejects an integer above the safe limit", () => {
    const tooLarge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    expect(() => readVarints(Uint8Array.from(tooLarge))).toThrow("too large");
  });

  it("rejects an integer with too many bytes, even if they are zeros", () => {
    expect(() => readVarints(Uint8Array.of(...new Uint8Array(8).fill(0x80), 0))).toThrow("too large");
    expect(() => readVarints(Uint8Array.of(...new Uint8Array(400).fill(0x80), 0))).toThrow("too large");
  });

  it("rejects an integer that is truncated", () => {
    expect(() => readVarints(Uint8Array.of(0x80))).toThrow("truncated");
    expect(() => readFields(Uint8Array.of(0x08))).toThrow(FormatError);
  });

  it("encodes a field of any length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), (content) => {
        const writer = new ByteWriter();
        writeField(writer, 3, () => writer.bytes(content));
        expect([...readFields(writer.finish())]).toEqual([[3, [content]]]);
      }),
    );
  });

  it("decodes fields in order", () => {
    const fields = readFields(Uint8Array.of(0x22, 1, 97, 0x08, 5, 0x22, 0));
    expect([...fields]).toEqual([
      [4, [Uint8Array.of(97), new Uint8Array()]],
      [1, [5]],
    ]);
  });

  it("rejects a field that is longer than its message", () => {
    expect(() => readFields(Uint8Array.of(0x0a, 2, 97))).toThrow("is longer than its message");
  });

  it.each([1, 3, 4, 5])("rejects wire type %i", (wireType) => {
    expect(() => readFields(Uint8Array.of(0x08 + wireType, 0))).toThrow(
      `wire type ${wireType} isn't supported`,
    );
  });
});

function writeVarints(values: readonly number[]): Uint8Array {
  const writer = new ByteWriter();
  for (const value of values) writeVarint(writer, value);
  return writer.finish();
}
