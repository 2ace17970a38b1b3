import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { MISLEADING } from "../test-data/misleading-texts.ts";
import { encodePem } from "./pem.ts";
import { writeYaml } from "./yaml-writer.ts";
import type { YamlMap, YamlValue } from "./yaml-writer.ts";

const texts = fc.oneof(fc.constantFrom(...MISLEADING), fc.string({ unit: "binary", maxLength: 30 }));
const scalars = fc.oneof(texts, fc.boolean(), fc.integer());
const maps: fc.Arbitrary<YamlMap> = fc.letrec<{ map: YamlMap; value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalars,
    tie("map"),
    fc.array(fc.oneof(scalars, tie("map")), { maxLength: 4 }),
  ),
  map: fc.dictionary(texts, tie("value"), { maxKeys: 5 }),
})).map;

describe("YAML", () => {
  it.each(["1.1", "1.2"] as const)("is parsed correctly as version %s, whatever its content", (version) => {
    fc.assert(
      fc.property(maps, (map) => {
        expect(read(writeYaml(map), version)).toEqual(map);
      }),
      { numRuns: 300 },
    );
  });

  it.each(MISLEADING)("keeps %j as a key, as a value and in a list", (text) => {
    const map = Object.fromEntries([[text, { value: text, list: [text, { inner: text }] }]]);
    for (const version of ["1.1", "1.2"] as const) expect(read(writeYaml(map), version)).toEqual(map);
  });

  it("has no character that Nebula's parser rejects", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(writeYaml({ key: text })).toMatch(/^key: "[\x20-\x7e\xa1-\u{10ffff}]*"\n$/u);
        expect(writeYaml({ key: text })).not.toMatch(/[\u2028\u2029\ufeff\ufffe\uffff]/);
      }),
    );
  });

  it("has PEM as a block", () => {
    const pem = encodePem("NEBULA CERTIFICATE", new Uint8Array(60).fill(7));
    const yaml = writeYaml({ pki: { ca: pem + pem } });
    expect(yaml).toContain("  ca: |\n    -----BEGIN NEBULA CERTIFICATE-----\n    Bwc");
    expect(parse(yaml)).toEqual({ pki: { ca: pem + pem } });
  });

  it("omits undefined values and keeps empty values", () => {
    expect(writeYaml({ none: undefined, list: [], map: {}, maps: [{}, { none: undefined }] })).toBe(
      "list: []\nmap: {}\nmaps:\n  - {}\n  - {}\n",
    );
  });

  it.each([Number.NaN, 1.5, 2 ** 53, Infinity])("rejects the number %d", (value) => {
    expect(() => writeYaml({ value })).toThrow("must be an integer");
  });

  it("rejects invalid Unicode", () => {
    expect(() => writeYaml({ value: "\ud800" })).toThrow("Unicode");
    expect(() => writeYaml({ "\udc00": 1 })).toThrow("Unicode");
  });
});

function read(yaml: string, version: "1.1" | "1.2"): unknown {
  return parse(yaml, { version, logLevel: "error" });
}
