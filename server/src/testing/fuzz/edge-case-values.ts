/** Values that often break programs, with names that keep the plan of a failed request readable. */
import fc from "fast-check";
import { weighted } from "./weighted.ts";

const edgeCaseStrings = {
  empty: "",
  blank: " \t\r\n\u00a0\u2003",
  long: "x".repeat(300),
  veryLong: "x".repeat(70_000),
  zero: "a\0b",
  unpairedSurrogate: "a\ud800b",
  rightToLeft: "\u202eevil\u2066\u200f",
  invisible: "\u200b\u200d\ufeff",
  composed: "e\u0301\u0301\u0301\u0301",
  growsWhenLowered: "İ".repeat(50),
  family: "👩‍👩‍👧‍👦",
  lineBreak: "a\r\nSet-Cookie: b=c",
  sql: "'; drop table hosts; --",
  sqlPattern: "%_\\%",
  sqlCast: "1::jsonb",
  yaml: "!!js/function 'x'\n- *a: &a [",
  yamlOfBools: "yes: no\n? ~",
  html: "</script><img src=x onerror=alert(1)>",
  template: "${7*7}{{7*7}}#{7*7}",
  formula: '=cmd|" /C calc"!A0',
  backslashes: "\\\\\"'`",
  traversal: "../../../../etc/passwd",
  regex: "(a+)+$",
  proto: "__proto__",
  nullWord: "null",
  number: "0",
  hugeNumber: "99999999999999999999999",
  exponent: "1e309",
  noNumber: "NaN",
  infinity: "-infinity",
  colons: "a:b:c",
  noDate: "2031-02-30T25:61:61Z",
  lastDate: "9999-12-31T23:59:59.999999Z",
  firstDate: "0000-01-01T00:00:00.000Z",
  wholeCidr: "0.0.0.0/0",
  hostBits: "10.1.2.3/8",
  octalAddress: "010.001.000.01",
  mappedAddress: "::ffff:10.0.0.1",
  noPort: "10.0.0.1:99999",
} as const;

export type EdgeCaseString = keyof typeof edgeCaseStrings;
export const edgeCaseString = (name: EdgeCaseString): string => edgeCaseStrings[name];

const nested = (open: string, close: string, depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
const many = (item: string, count: number) => `[${Array.from({ length: count }, () => item).join()}]`;

/** As JSON text, including values that JavaScript cannot represent. */
const edgeCaseJson = {
  null: "null",
  true: "true",
  false: "false",
  zero: "0",
  minusZero: "-0",
  minusOne: "-1",
  half: "0.5",
  port: "65535",
  overPort: "65536",
  int32: "2147483648",
  beyondSafe: "9007199254740993",
  beyondInt64: "9223372036854775808",
  huge: "1e308",
  infinite: "1e999",
  tiny: "5e-324",
  emptyArray: "[]",
  emptyObject: "{}",
  mixedArray: '[null,true,1,"a",[],{}]',
  manyStrings: many('"a:b"', 300),
  manyNumbers: many("1", 20_000),
  manyKeys: `{${Array.from({ length: 2000 }, (_, index) => `"key${index}":1`).join()}}`,
  deep: nested("[", "]", 40),
  veryDeep: nested("[", "]", 20_000),
  deepObject: nested('{"a":', "}", 5000),
  prototype: '{"__proto__":{"polluted":true}}',
  constructor: '{"constructor":{"prototype":{"polluted":true}}}',
  notAMethod: '{"toString":1,"toJSON":1,"then":1,"valueOf":null}',
  length: '{"length":1e9}',
} as const;

export type EdgeCaseValue = { json: keyof typeof edgeCaseJson } | { string: EdgeCaseString };
export const edgeCaseText = (value: EdgeCaseValue): string =>
  "json" in value ? edgeCaseJson[value.json] : JSON.stringify(edgeCaseStrings[value.string]);

const keysOf = <T extends object>(record: T) => Object.keys(record) as (keyof T)[];

/** Often a string that PostgreSQL cannot store. */
export const anEdgeCaseString = weighted<EdgeCaseString>(
  [1, fc.constantFrom("zero", "unpairedSurrogate")],
  [2, fc.constantFrom(...keysOf(edgeCaseStrings))],
);
export const anEdgeCaseValue = weighted<EdgeCaseValue>(
  [2, fc.record({ string: anEdgeCaseString })],
  [1, fc.record({ json: fc.constantFrom(...keysOf(edgeCaseJson)) })],
);
export const anEdgeCaseKey = fc.constantFrom(
  "unknown",
  "",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "then",
  "id",
  "organizationID",
  "a.b[0]",
  "a\0b",
  "\ud800",
  "x".repeat(5000),
);
