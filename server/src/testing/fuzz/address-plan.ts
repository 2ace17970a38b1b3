/** What the address of a request will be like: path parameters and query string. */
import type { Endpoint } from "@lightkeeper/contract";
import fc from "fast-check";
import type { Json } from "./json-text.ts";
import { anOddKey, anOddString, anOddValue, type OddString, type OddValue } from "./odd-values.ts";
import { anId } from "./plausible-values.ts";
import { jsonSchemaOf, type JsonSchema, valuesOf } from "./schema-values.ts";
import { weighted } from "./weighted.ts";

/** A piece of the address: what the sample has, text that is encoded, or text as it stands. */
export type Piece = "sample" | { text: string } | { odd: OddString } | { raw: string };

/** A cursor that some list answered with, one of its values replaced. */
export interface BentCursor {
  at: number;
  value: OddValue;
}

export interface QueryEntry {
  key: string;
  value: Exclude<Piece, "sample"> | { cursor: BentCursor | "as it was" };
}

const rawPieces = [
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
const aRawPiece = fc.record({ raw: fc.constantFrom(...rawPieces) });
const anOddPiece = fc.record({ odd: anOddString });

export const aParam = (oftenOdd: boolean): fc.Arbitrary<Piece> =>
  weighted<Piece>(
    [oftenOdd ? 2 : 12, fc.constant("sample")],
    [2, fc.record({ text: anId })],
    [1, anOddPiece],
    [1, aRawPiece],
  );

const rawQueries = ["&&=&", "a[]=1&a[b]=2", "__proto__=1", "=", "a=%", "%zz=%zz", "a=1;b=2", "a=%ed%a0%80"];
const aRawEntry: fc.Arbitrary<QueryEntry> = fc.record({
  key: fc.constant(""),
  value: fc.record({ raw: fc.constantFrom(...rawQueries) }),
});
const aCursor = weighted<BentCursor | "as it was">(
  [1, fc.constant("as it was")],
  [1, fc.record({ at: fc.nat({ max: 3 }), value: anOddValue })],
);

const asText = (value: Json) => (typeof value === "string" ? value : JSON.stringify(value));

function aQueryEntry([key, schema]: [string, JsonSchema]): fc.Arbitrary<QueryEntry> {
  const fitting = fc.record({ text: valuesOf(schema, key.replace("filter.", "")).map(asText) });
  const cursors = fc.record({ cursor: aCursor });
  return fc.record({
    key: fc.constant(key),
    value: weighted<QueryEntry["value"]>(
      [6, fitting],
      [key === "cursor" ? 12 : 0, cursors],
      [1, anOddPiece],
      [1, aRawPiece],
    ),
  });
}

export function aQuery({ query }: Endpoint): fc.Arbitrary<QueryEntry[]> {
  if (!query) return weighted([12, fc.constant([])], [1, fc.array(aRawEntry, { maxLength: 1 })]);
  const unknown = fc.record({ key: anOddKey, value: anOddPiece });
  const known = Object.entries(jsonSchemaOf(query).properties ?? {}).map(aQueryEntry);
  return fc.array(weighted([16, fc.oneof(...known)], [1, unknown], [1, aRawEntry]), { maxLength: 4 });
}
