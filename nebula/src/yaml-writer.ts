// Writes YAML that every parser reads in the same way. Parsers differ in the meaning of plain scalars (no, 1e3, 12:30,
// 0x10, ~, 2001-01-01), so strings are always in double quotes, with all characters escaped that some parser rejects or
// folds. Only our own keys are plain, and PEM is a block.

import { isUnicode } from "./certificate-parts.ts";
import { FormatError } from "./format-error.ts";

export type YamlValue = string | number | boolean | readonly YamlValue[] | YamlMap;
export interface YamlMap {
  readonly [key: string]: YamlValue | undefined;
}

const PLAIN_KEY = /^[a-z]{2,}(?:_[a-z]+)*$/;
const RESERVED_SCALARS = new Set(["true", "false", "yes", "no", "on", "off", "null"]);
const PEM = /^(?:-----BEGIN [A-Z0-9 ]+-----\n(?:[A-Za-z0-9+/=]+\n)+-----END [A-Z0-9 ]+-----\n)+$/;
const ESCAPED = /[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]/g;

export function writeYaml(map: YamlMap): string {
  const lines = writeMap(map, "");
  return lines.length === 0 ? "{}\n" : `${lines.join("\n")}\n`;
}

function writeMap(map: YamlMap, indent: string): string[] {
  return Object.entries(map).flatMap(([key, value]) =>
    value === undefined ? [] : writeEntry(`${indent}${writeKey(key)}:`, value, indent),
  );
}

function writeEntry(head: string, value: YamlValue, indent: string): string[] {
  if (typeof value === "string" && PEM.test(value)) return [`${head} |`, ...writeBlock(value, `${indent}  `)];
  if (isScalar(value)) return [`${head} ${writeScalar(value)}`];
  if (isList(value)) return value.length === 0 ? [`${head} []`] : [head, ...writeList(value, `${indent}  `)];
  const lines = writeMap(value, `${indent}  `);
  return lines.length === 0 ? [`${head} {}`] : [head, ...lines];
}

function writeList(list: readonly YamlValue[], indent: string): string[] {
  return list.flatMap((item) => {
    if (isScalar(item)) return [`${indent}- ${writeScalar(item)}`];
    if (isList(item)) throw new FormatError("nested lists aren't supported");
    const [first, ...rest] = writeMap(item, `${indent}  `);
    return first === undefined ? [`${indent}- {}`] : [`${indent}- ${first.trimStart()}`, ...rest];
  });
}

function writeBlock(text: string, indent: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => indent + line);
}

function writeKey(key: string): string {
  return PLAIN_KEY.test(key) && !RESERVED_SCALARS.has(key) ? key : quote(key);
}

function writeScalar(value: string | number | boolean): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new FormatError("a number must be an integer");
  }
  return String(value);
}

function quote(text: string): string {
  if (!isUnicode(text)) throw new FormatError("text must be Unicode text");
  return JSON.stringify(text).replace(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function isScalar(value: YamlValue): value is string | number | boolean {
  return typeof value !== "object";
}

function isList(value: readonly YamlValue[] | YamlMap): value is readonly YamlValue[] {
  return Array.isArray(value);
}
