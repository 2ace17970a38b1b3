/** Generates path parameters and query strings. */
import type { Endpoint } from "@lightkeeper/contract";
import fc from "fast-check";
import type { Json } from "./json-text.ts";
import {
  anEdgeCaseKey,
  anEdgeCaseString,
  anEdgeCaseValue,
  type EdgeCaseString,
  type EdgeCaseValue,
} from "./edge-case-values.ts";
import { anId } from "./plausible-values.ts";
import { jsonSchemaOf, type JsonSchema, valuesOf } from "./schema-values.ts";
import { weighted } from "./weighted.ts";

/** A part of the URL: from the sample, text to encode, or raw text. */
export type UrlPart = "sample" | { text: string } | { edgeCase: EdgeCaseString } | { raw: string };

/** A cursor from a list response with one value replaced. */
export interface AlteredCursor {
  at: number;
  value: EdgeCaseValue;
}

export interface QueryEntry {
  key: string;
  value: Exclude<UrlPart, "sample"> | { cursor: AlteredCursor | "unchanged" };
}

const rawParts = [
  "%",
  "%zz",
  "%00",
  "%ff",
  "%c3%28",
  "%ed%a0%80",
  "%2e%2e%2f",
  "%252e",
  "..",
  ".",
  "//",
  "*",
  "a;b=c",
  "+",
  "@",
  "a/b",
  "%3f?x=y",
];
const aRawPart = fc.record({ raw: fc.constantFrom(...rawParts) });
const anEdgeCasePart = fc.record({ edgeCase: anEdgeCaseString });

export const aParam = (isOftenInvalid: boolean): fc.Arbitrary<UrlPart> =>
  weighted<UrlPart>(
    [isOftenInvalid ? 2 : 12, fc.constant("sample")],
    [2, fc.record({ text: anId })],
    [1, anEdgeCasePart],
    [1, aRawPart],
  );

const rawQueries = ["&&=&", "a[]=1&a[b]=2", "__proto__=1", "=", "a=%", "%zz=%zz", "a=1;b=2", "a=%ed%a0%80"];
const aRawEntry: fc.Arbitrary<QueryEntry> = fc.record({
  key: fc.constant(""),
  value: fc.record({ raw: fc.constantFrom(...rawQueries) }),
});
const aCursor = weighted<AlteredCursor | "unchanged">(
  [1, fc.constant("unchanged")],
  [1, fc.record({ at: fc.nat({ max: 3 }), value: anEdgeCaseValue })],
);

const toText = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));

function aQueryEntry([key, schema]: [string, JsonSchema]): fc.Arbitrary<QueryEntry> {
  const fitting = fc.record({ text: valuesOf(schema, key.replace("filter.", "")).map(toText) });
  const cursors = fc.record({ cursor: aCursor });
  return fc.record({
    key: fc.constant(key),
    value: weighted<QueryEntry["value"]>(
      [6, fitting],
      [key === "cursor" ? 12 : 0, cursors],
      [1, anEdgeCasePart],
      [1, aRawPart],
    ),
  });
}

export function aQuery({ query }: Endpoint): fc.Arbitrary<QueryEntry[]> {
  if (!query) return weighted([12, fc.constant([])], [1, fc.array(aRawEntry, { maxLength: 1 })]);
  const unknown = fc.record({ key: anEdgeCaseKey, value: anEdgeCasePart });
  const known = Object.entries(jsonSchemaOf(query).properties ?? {}).map(aQueryEntry);
  return fc.array(weighted([16, fc.oneof(...known)], [1, unknown], [1, aRawEntry]), { maxLength: 4 });
}
