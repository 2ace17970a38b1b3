import pg from "pg";
import { describe, expect, it } from "vitest";
import { parseInstant, parseTextArray } from "./result-types.ts";

const defaultParser = (oid: number) => pg.types.getTypeParser(oid) as (text: string) => unknown;

describe("a timestamp", () => {
  it.each([
    "2026-11-18 05:22:13+00",
    "2026-11-18 05:22:13.1+00",
    "2026-11-18 05:22:13.179+00",
    "2026-11-18 05:22:13.179999+00",
    "2024-02-29 23:59:59.999999+00",
    "1969-12-31 23:59:59.5+00",
    "2026-11-18 05:22:13.179+02",
    "2026-11-18 05:22:13.179+05:30",
    "2026-11-18 05:22:13.179-03",
    "0099-01-01 00:00:00+00",
    "0044-03-15 00:00:00+00 BC",
    "12026-01-01 00:00:00+00",
    "infinity",
    "-infinity",
  ])("is parsed as by the driver: %s", (text) => {
    expect(parseInstant(text)).toEqual(defaultParser(1184)(text));
  });
});

describe("a list of texts", () => {
  it.each([
    "{}",
    "{a}",
    "{a,b:c,d-e}",
    '{"with space",b}',
    '{"with, comma"}',
    '{"with \\" quote","with \\\\ backslash","{braces}"}',
    '{""}',
    '{"NULL",NULL,a}',
    "{NULL}",
    "{{a,b},{c,d}}",
    "[0:1]={a,b}",
    "{ä,日本}",
  ])("is parsed as by the driver: %s", (text) => {
    expect(parseTextArray(text)).toEqual(defaultParser(1009)(text));
  });
});
