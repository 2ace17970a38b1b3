/**
 * An export is a gzip file of lines, each of them JSON:
 *
 *     {"format":"lightkeeper export","version":1,"migration":"0007_…","exportedAt":"…","keyID":"…",…}
 *     {"table":"organizations","columns":["id","name",…]}
 *     ["org-…","Harborline",…]
 *     …
 *     {"rows":1234}
 *
 * Values are in PostgreSQL's text format, or null. Generated columns are omitted. Sealed values stay sealed with the
 * key of `keyID`. The last line has the number of rows.
 */
import * as z from "zod/mini";
import { ConfigError } from "../../infrastructure/config/config.ts";

const FORMAT = "lightkeeper export";
const VERSION = 1;

const Header = z.object({
  format: z.literal(FORMAT),
  version: z.number(),
  /** Version of the program that created the export. */
  madeBy: z.string(),
  /** The last migration of the exported database. */
  migration: z.string(),
  exportedAt: z.string(),
  /** Time of the last change, UTC with microseconds; decides which of two exports is older. */
  changedAt: z.nullable(z.string()),
  keyID: z.string(),
});
export type Header = z.output<typeof Header>;

const TableLine = z.strictObject({ table: z.string(), columns: z.array(z.string()).check(z.minLength(1)) });
const EndLine = z.strictObject({ rows: z.int() });

export type TableLine = z.output<typeof TableLine>;
export type Marker = { kind: "table"; table: TableLine } | { kind: "end"; rows: number };

export const damagedError = (what: string) => new ConfigError(`The export is damaged: ${what}`);

export function writeHeader(header: Omit<Header, "format" | "version">): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...header })}\n`;
}

export const writeTable = (table: TableLine) => `${JSON.stringify(table)}\n`;

export const writeEnd = (rows: number) => `${JSON.stringify({ rows })}\n`;

export function readHeader(line: string | undefined): Header {
  const header = Header.safeParse(parse(line ?? ""));
  if (!header.success) throw new ConfigError("The file is not a Lightkeeper export");
  if (header.data.version !== VERSION)
    throw new ConfigError(
      `The export has format ${header.data.version}, but this version reads format ${VERSION}. Update Lightkeeper.`,
    );
  return header.data;
}

/** Rows are arrays; other lines are markers. */
export const isRow = (line: string) => line.startsWith("[");

export function readMarker(line: string): Marker {
  const parsed = parse(line);
  const table = TableLine.safeParse(parsed);
  if (table.success) return { kind: "table", table: table.data };
  const end = EndLine.safeParse(parsed);
  if (end.success) return { kind: "end", rows: end.data.rows };
  throw damagedError("it contains an unknown line");
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
