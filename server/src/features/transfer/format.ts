/**
 * An export is a gzip file of lines, each of them JSON:
 *
 *     {"format":"lightkeeper export","version":1,"migration":"0007_…","exportedAt":"…","keyID":"…",…}
 *     {"table":"organizations","columns":["id","name",…]}
 *     ["org-…","Harborline",…]
 *     …
 *     {"rows":1234}
 *
 * Values are what PostgreSQL writes and reads as text, null where there are none. Columns that the database
 * computes are left out. What is sealed stays sealed, with the key of `keyID`. The last line counts the rows.
 */
import * as z from "zod/mini";
import { ConfigError } from "../../infrastructure/config/config.ts";

const FORMAT = "lightkeeper export";
const VERSION = 1;

const Header = z.object({
  format: z.literal(FORMAT),
  version: z.number(),
  /** Of the program that made it. */
  madeBy: z.string(),
  /** The last one that its tables have been through. */
  migration: z.string(),
  exportedAt: z.string(),
  /** When anything was last changed, in microseconds and UTC: of two exports, this tells the older. */
  changedAt: z.nullable(z.string()),
  keyID: z.string(),
});
export type Header = z.output<typeof Header>;

const TableLine = z.strictObject({ table: z.string(), columns: z.array(z.string()).check(z.minLength(1)) });
const EndLine = z.strictObject({ rows: z.int() });

export type TableLine = z.output<typeof TableLine>;
export type Break = { kind: "table"; table: TableLine } | { kind: "end"; rows: number };

export const damaged = (what: string) => new ConfigError(`The export is damaged: ${what}`);

export function writeHeader(header: Omit<Header, "format" | "version">): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...header })}\n`;
}

export const writeTable = (table: TableLine) => `${JSON.stringify(table)}\n`;

export const writeEnd = (rows: number) => `${JSON.stringify({ rows })}\n`;

export function readHeader(line: string | undefined): Header {
  const header = Header.safeParse(parse(line ?? ""));
  if (!header.success) throw new ConfigError("The file is not an export of Lightkeeper");
  if (header.data.version !== VERSION)
    throw new ConfigError(
      `The export has format ${header.data.version} and this version reads format ${VERSION}: update Lightkeeper`,
    );
  return header.data;
}

/** Every row is an array; what is none says what comes next. */
export const isRow = (line: string) => line.startsWith("[");

export function readBreak(line: string): Break {
  const parsed = parse(line);
  const table = TableLine.safeParse(parsed);
  if (table.success) return { kind: "table", table: table.data };
  const end = EndLine.safeParse(parsed);
  if (end.success) return { kind: "end", rows: end.data.rows };
  throw damaged("it holds a line that says nothing");
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
