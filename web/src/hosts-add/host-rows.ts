/** Parses pasted rows of hosts and validates them. */
import { HostV2Create, TAGS_MAX } from "@lightkeeper/contract";
import { longNameMessage } from "../forms/length-messages.ts";
import { parseCsv, toCsv } from "../lib/csv.ts";
import { addressFamilyOf } from "../lib/address-family.ts";
import { formatCount } from "../lib/format.ts";
import { addressProblem, canonicalAddress } from "../on-demand/host-addresses.ts";

const ROWS_MAX = 500;

export interface HostRow {
  /** From 1; empty rows are not counted. */
  number: number;
  name: string;
  /** The name of a role; empty for the role chosen for all rows. */
  role: string;
  tags: string[];
  /** As typed: up to one address or range per family. Empty for free addresses. */
  address: string;
}

/** The addresses and ranges of a row, IPv4 first. */
export const addressesOf = ({ address }: Pick<HostRow, "address">): string[] =>
  address
    .split(/[\s;|]+/)
    .filter((text) => text !== "")
    .toSorted((one, other) => addressFamilyOf(one).localeCompare(addressFamilyOf(other)));

const columns = {
  name: ["name", "host", "hostname"],
  role: ["role"],
  tags: ["tags", "tag"],
  address: ["ip", "address", "addresses", "ipaddress", "ip address"],
};
type ColumnName = keyof typeof columns;
const order = Object.keys(columns) as ColumnName[];

/** Finds the columns by their headers, or uses the documented order if there is no header. */
function layoutOf(first: readonly string[]): {
  hasHeader: boolean;
  cellOf: (row: string[], name: ColumnName) => string;
} {
  const headers = first.map((cell) => cell.toLowerCase());
  const hasHeader = columns.name.includes(headers[0] ?? "") && (headers.length > 1 || headers[0] === "name");
  const positions = order.map((name, position) =>
    hasHeader ? headers.findIndex((header) => columns[name].includes(header)) : position,
  );
  return { hasHeader, cellOf: (row, name) => row[positions[order.indexOf(name)] ?? -1] ?? "" };
}

/** Splits at ";", "," and "|". Spaces separate tags only if a part has several colons: a tag may contain spaces. */
function splitTags(cell: string): string[] {
  return cell
    .split(/[;,|]/)
    .flatMap((piece) => (piece.split(":").length > 2 ? piece.trim().split(/\s+/) : [piece.trim()]))
    .filter((tag) => tag !== "");
}

/** Accepts one name per line, or lines of name, role, tags and address. */
export function parseHostRows(text: string): HostRow[] {
  const [first = [], ...rest] = parseCsv(text);
  const { hasHeader, cellOf } = layoutOf(first);
  return (hasHeader ? rest : [first, ...rest])
    .filter((row) => row.length > 0)
    .map((row, index) => ({
      number: index + 1,
      name: cellOf(row, "name"),
      role: cellOf(row, "role"),
      tags: [...new Set(splitTags(cellOf(row, "tags")))],
      address: cellOf(row, "address"),
    }));
}

/** The inverse of `parseHostRows`. */
export const formatHostRows = (rows: readonly Omit<HostRow, "number">[]): string =>
  toCsv([
    ["name", "role", "tags", "ip"],
    ...rows.map(({ name, role, tags, address }) => [name, role, tags.join(";"), address]),
  ]);

/** What rows are validated against; undefined while it is loading. */
export interface RowContext {
  cidrs: readonly string[] | undefined;
  roleNames: readonly string[] | undefined;
  tagNames: readonly string[] | undefined;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function addressProblems(row: HostRow, cidrs: readonly string[] | undefined): string[] {
  const addresses = addressesOf(row);
  const families = addresses.map(addressFamilyOf);
  const repeated = families.find((family, index) => families.indexOf(family) < index);
  const problems = addresses.flatMap((address) => addressProblem(address, cidrs) ?? []);
  return problems.length === 0 && repeated ? [`More than one ${repeated} address.`] : problems;
}

/** Without ranges: several hosts can get their address from the same one. */
const hostAddressesOf = (row: HostRow) =>
  addressesOf(row)
    .filter((text) => !text.includes("/"))
    .map(canonicalAddress);

function duplicateProblem(row: HostRow, previousRows: readonly HostRow[]): string | undefined {
  const sameName = previousRows.find(({ name }) => isSame(name, row.name));
  if (sameName) return `Same name as row ${sameName.number}.`;
  const addresses = new Set(hostAddressesOf(row));
  const sameAddress = previousRows.find((other) => hostAddressesOf(other).some((one) => addresses.has(one)));
  return sameAddress && `Same address as row ${sameAddress.number}.`;
}

/** Problems that the browser can detect; the server validates each host again. */
function problemsOf(row: HostRow, previousRows: readonly HostRow[], context: RowContext): string[] {
  const { roleNames, tagNames, cidrs } = context;
  const unknownTags = tagNames ? row.tags.filter((tag) => !tagNames.includes(tag)) : [];
  const isNameValid = HostV2Create.shape.name.safeParse(row.name).success;
  return [
    isNameValid ? duplicateProblem(row, previousRows) : longNameMessage,
    row.role !== "" && roleNames && !roleNames.some((name) => isSame(name, row.role))
      ? `Role ${row.role} doesn’t exist.`
      : undefined,
    unknownTags.length > 0
      ? `${unknownTags.length > 1 ? "Tags" : "Tag"} ${unknownTags.join(", ")} ${unknownTags.length > 1 ? "don’t" : "doesn’t"} exist.`
      : undefined,
    row.tags.length > TAGS_MAX ? `More than ${TAGS_MAX} tags.` : undefined,
    ...addressProblems(row, cidrs),
  ].filter((problem) => problem !== undefined);
}

export interface ValidatedRow extends HostRow {
  problems: string[];
}

export const validateRows = (text: string, context: RowContext): ValidatedRow[] =>
  parseHostRows(text).map((row, index, rows) => ({
    ...row,
    problems: problemsOf(row, rows.slice(0, index), context),
  }));

/** Why the rows can't be added, or undefined if they can. */
export function summarizeProblems(rows: readonly ValidatedRow[]): string | undefined {
  const invalidCount = rows.filter(({ problems }) => problems.length > 0).length;
  if (rows.length === 0) return "Enter at least one host name.";
  if (rows.length > ROWS_MAX)
    return `You can add up to ${ROWS_MAX} hosts at a time. You entered ${rows.length}.`;
  return invalidCount > 0 ? `${formatCount(invalidCount, "row needs", "rows need")} fixing.` : undefined;
}
