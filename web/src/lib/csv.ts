/** Comma-separated values, as spreadsheets write and read them. */

/** Spreadsheets run cells that start like a formula; a leading quote makes them text. */
export const escapeFormula = (value: string): string => (/^[=+\-@\t\r]/.test(value) ? `'${value}` : value);

const toCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const toCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(toCell).join(",")}\r\n`).join("");

const SEPARATORS = [",", ";", "\t"];

/** The separator that occurs most often in the first line. */
function separatorOf(text: string): string {
  const [line = ""] = text.split(/\r?\n/, 1);
  const count = (separator: string) => line.split(separator).length;
  return SEPARATORS.reduce((best, separator) => (count(separator) > count(best) ? separator : best));
}

/** Rows of trimmed cells, without empty lines. Quoted cells may contain separators, line breaks and doubled quotes. */
export function parseCsv(text: string): string[][] {
  const separator = separatorOf(text);
  const pieces = new RegExp(`"((?:[^"]|"")*)"|([^"${separator}\\r\\n]+)|(${separator}|\\r?\\n|\\r)|"`, "g");
  const rows: string[][] = [[""]];
  for (const [whole, quoted, plain, end] of text.matchAll(pieces)) {
    const row = rows.at(-1) ?? [];
    if (end === separator) row.push("");
    else if (end !== undefined) rows.push([""]);
    else row.push((row.pop() ?? "") + (quoted?.replaceAll('""', '"') ?? plain ?? whole));
  }
  return rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some((cell) => cell !== ""));
}
