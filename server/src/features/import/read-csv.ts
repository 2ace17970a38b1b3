/** A row per thing under a header row. An empty cell says nothing, and a cell is text, whatever it begins with. */
import { CsvError, type Info, parse } from "csv-parse/sync";
import { limitExceeded, type RawThing, THINGS_MAX, unreadable } from "./document.ts";

const words = (cell: string) => cell.split(/[\s,;]+/).filter((word) => word !== "");
const number = (cell: string) => (/^\d{1,9}$/.test(cell) ? Number(cell) : cell);
const flag = (cell: string) => (/^(true|false)$/i.test(cell) ? cell.toLowerCase() === "true" : cell);
const text = (cell: string) => cell;

/** What is not of the column's kind stays text, to be refused where every value is. */
const columns: Record<string, (cell: string) => unknown> = {
  type: text,
  name: text,
  network: text,
  role: text,
  tags: words,
  ipAddress: text,
  staticAddresses: words,
  listenPort: number,
  isLighthouse: flag,
  isRelay: flag,
  description: text,
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
      // The header and one too many, which is enough to be refused.
      to: THINGS_MAX + 2,
    }) as unknown as { info: Info; record: string[] }[];
    return records.map(({ info, record }) => ({ line: firstLine(info.lines, record), cells: record }));
  } catch (error) {
    if (error instanceof CsvError)
      throw error.code === "CSV_MAX_RECORD_SIZE"
        ? limitExceeded(ROW_LENGTH_MAX, `must not have a row of more than ${ROW_LENGTH_MAX} characters`)
        : unreadable(error.message);
    throw error;
  }
}

/** A row is counted by its last line, and a quoted cell may have several. */
function firstLine(lastLine: number, cells: string[]): number {
  const breaks = cells.map((cell) => cell.match(/\r\n|\r|\n/g)?.length ?? 0);
  return lastLine - breaks.reduce((sum, count) => sum + count, 0);
}

function readHeader(row: Row | undefined): string[] {
  if (!row) throw unreadable("must begin with a row of column names");
  // Spreadsheets write out empty columns, too.
  const last = row.cells.findLastIndex((cell) => cell !== "");
  const names = row.cells
    .slice(0, last + 1)
    .map((cell) => Object.keys(columns).find((name) => name.toLowerCase() === cell.toLowerCase()) ?? cell);
  const unknown = names.find((name) => !Object.hasOwn(columns, name));
  if (unknown !== undefined)
    throw unreadable(
      `unknown column ${JSON.stringify(unknown)}; there are ${Object.keys(columns).join(", ")}`,
    );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw unreadable(`the column ${twice} is there twice`);
  if (!names.includes("name")) throw unreadable("the column name is missing");
  return names;
}

export function readCsv(content: string): RawThing[] {
  const [first, ...rows] = readRows(content);
  const names = readHeader(first);
  return rows.map(({ line, cells }) => {
    const extra = cells.findIndex((cell, index) => index >= names.length && cell !== "");
    const written = cells.slice(0, extra < 0 ? names.length : extra + 1).flatMap((cell, index) => {
      // The first cell beyond the last column is refused like an unknown key.
      const name = names[index] ?? `column ${index + 1}`;
      return cell === "" ? [] : [[name, columns[name]?.(cell) ?? cell] as const];
    });
    const { type, ...value } = Object.fromEntries(written);
    const kind = typeof type === "string" ? type.toLowerCase() : "host";
    return { place: `line ${line}`, kind, value };
  });
}
