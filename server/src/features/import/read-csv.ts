/** One item per row, below a header row. Empty cells are ignored; cells are never formulas. */
import { CsvError, type Info, parse } from "csv-parse/sync";
import { limitExceededError, type RawItem, ITEMS_MAX, unreadableError } from "./document.ts";

const parseList = (cell: string) => cell.split(/[\s,;]+/).filter((part) => part !== "");
const parseNumber = (cell: string) => (/^\d{1,9}$/.test(cell) ? Number(cell) : cell);
const parseBoolean = (cell: string) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === "true" : cell);
const keepText = (cell: string) => cell;

/** A cell that cannot be parsed stays text and is rejected by the schema later. */
const columns: Record<string, (cell: string) => unknown> = {
  type: keepText,
  name: keepText,
  network: keepText,
  role: keepText,
  tags: parseList,
  ipAddress: keepText,
  ipAddresses: parseList,
  staticAddresses: parseList,
  listenPort: parseNumber,
  isLighthouse: parseBoolean,
  isRelay: parseBoolean,
  description: keepText,
  owner: keepText,
};

/** Far more than the tags of any host. */
const ROW_LENGTH_MAX = 65_536;

interface Row {
  line: number;
  cells: string[];
}

function readRows(content: string): Row[] {
  try {
    const records = parse(content, {
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      trim: true,
      max_record_size: ROW_LENGTH_MAX,
      // The header and one item more than allowed, which is enough to reject the file.
      to: ITEMS_MAX + 2,
    }) as unknown as { info: Info; record: string[] }[];
    return records.map(({ info, record }) => ({ line: firstLine(info.lines, record), cells: record }));
  } catch (error) {
    if (error instanceof CsvError)
      throw error.code === "CSV_MAX_RECORD_SIZE"
        ? limitExceededError(ROW_LENGTH_MAX, `must not have a row of more than ${ROW_LENGTH_MAX} characters`)
        : unreadableError(error.message);
    throw error;
  }
}

/** The parser reports the last line of a row; quoted cells may contain line breaks. */
function firstLine(lastLine: number, cells: string[]): number {
  const breaks = cells.map((cell) => cell.match(/\r\n|\r|\n/g)?.length ?? 0);
  return lastLine - breaks.reduce((sum, count) => sum + count, 0);
}

function readHeader(row: Row | undefined): string[] {
  if (!row) throw unreadableError("must start with a row of column names");
  // Spreadsheets also export empty columns.
  const last = row.cells.findLastIndex((cell) => cell !== "");
  const names = row.cells
    .slice(0, last + 1)
    .map((cell) => Object.keys(columns).find((name) => name.toLowerCase() === cell.toLowerCase()) ?? cell);
  const unknown = names.find((name) => !Object.hasOwn(columns, name));
  if (unknown !== undefined)
    throw unreadableError(
      `unknown column ${JSON.stringify(unknown)}; valid columns: ${Object.keys(columns).join(", ")}`,
    );
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw unreadableError(`duplicate column ${duplicate}`);
  if (!names.includes("name")) throw unreadableError("the column name is required");
  return names;
}

export function readCsv(content: string): RawItem[] {
  const [first, ...rows] = readRows(content);
  const names = readHeader(first);
  return rows.map(({ line, cells }) => {
    const extra = cells.findIndex((cell, index) => index >= names.length && cell !== "");
    const entries = cells.slice(0, extra < 0 ? names.length : extra + 1).flatMap((cell, index) => {
      // The first cell beyond the last column is rejected like an unknown key.
      const name = names[index] ?? `column ${index + 1}`;
      return cell === "" ? [] : [[name, columns[name]?.(cell) ?? cell] as const];
    });
    const { type, ...value } = Object.fromEntries(entries);
    const kind = typeof type === "string" ? type.toLowerCase() : "host";
    return { place: `line ${line}`, kind, value };
  });
}
