/** Parses the values that the database returns. The most frequent types are parsed without regular expressions. */
import pg from "pg";

const INT8 = 20;
const TEXT_ARRAY = 1009;
const TIMESTAMPTZ = 1184;

type Parse = (text: string) => unknown;

const defaultParser = (oid: number) => pg.types.getTypeParser(oid) as Parse;
const parseDefaultArray = defaultParser(TEXT_ARRAY);
const parseDefaultInstant = defaultParser(TIMESTAMPTZ);

/** Texts with any of these are quoted or escaped; `NULL` is not a text. */
const isPlain = (text: string) => !text.includes('"') && !text.includes("NULL") && !text.includes("{", 1);

export function parseTextArray(text: string): unknown {
  if (text === "{}") return [];
  return text.startsWith("{") && isPlain(text) ? text.slice(1, -1).split(",") : parseDefaultArray(text);
}

const ZERO = 48;
const digitsAt = (text: string, start: number) =>
  (text.charCodeAt(start) - ZERO) * 10 + text.charCodeAt(start + 1) - ZERO;

const SECONDS_LENGTH = "2026-01-01 00:00:00".length;
const UTC = "+00";

/** Such as `2026-01-01 00:00:00.123456+00`. */
export function parseInstant(text: string): unknown {
  const fractionLength = text.length - SECONDS_LENGTH - UTC.length;
  // Before the year 1000 and after 9999, in other time zones, and for infinity.
  if (text[0] === "0" || text[4] !== "-" || text[10] !== " " || fractionLength < 0 || !text.endsWith(UTC))
    return parseDefaultInstant(text);
  let ms = 0;
  for (let digit = 0; digit < 3; digit++) {
    const position = SECONDS_LENGTH + 1 + digit;
    ms = ms * 10 + (digit < fractionLength - 1 ? text.charCodeAt(position) - ZERO : 0);
  }
  return new Date(
    Date.UTC(
      digitsAt(text, 0) * 100 + digitsAt(text, 2),
      digitsAt(text, 5) - 1,
      digitsAt(text, 8),
      digitsAt(text, 11),
      digitsAt(text, 14),
      digitsAt(text, 17),
      ms,
    ),
  );
}

const parsers = new Map<number, Parse>([
  // bigint columns are counters and sequence numbers, all far below 2^53.
  [INT8, Number],
  [TEXT_ARRAY, parseTextArray],
  [TIMESTAMPTZ, parseInstant],
]);

export const resultTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format === "binary" ? undefined : parsers.get(oid)) ??
    pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
