import { expect, it } from "vitest";
import { escapeFormula, parseCsv, toCsv } from "./csv.ts";

it("reads one cell per line and skips empty lines", () => {
  expect(parseCsv("web-1\r\n\n  web-2  \nweb-3")).toEqual([["web-1"], ["web-2"], ["web-3"]]);
  expect(parseCsv("")).toEqual([]);
});

it.each([",", ";", "\t"])("reads cells separated by %j", (separator) => {
  expect(parseCsv(["a", "", " c "].join(separator))).toEqual([["a", "", "c"]]);
});

it("reads quotes with separators, line breaks and quotes in them, and keeps a single quote as it is", () => {
  expect(parseCsv('"a, b","two\nlines","say ""hi"""\nx')).toEqual([
    ["a, b", "two\nlines", 'say "hi"'],
    ["x"],
  ]);
  expect(parseCsv('5" disk,b')).toEqual([['5" disk', "b"]]);
});

it("reads back what it writes", () => {
  const rows = [
    ["name", "tags"],
    ['the "big" one', "env:prod, team:web"],
    ["über\nzwei", ""],
  ];
  expect(parseCsv(toCsv(rows))).toEqual(rows);
});

it("escapes cells that a spreadsheet would run as formulas", () => {
  expect(["=1+1", "+1", "-1", "@a", "a=1"].map(escapeFormula)).toEqual(["'=1+1", "'+1", "'-1", "'@a", "a=1"]);
});
