/** The hosts that are about to be added: read from what was pasted, and held against what there is. */
import { HostV2Create, TAGS_MAX } from "@lightkeeper/contract";
import { cidrContains, hostCapacity, parseCidr, parseIpv4 } from "@lightkeeper/nebula";
import { parseCsv, toCsv } from "../lib/csv.ts";
import { formatCount } from "../lib/format.ts";

const ROWS_MAX = 500;

/** As it was written. */
export interface HostRow {
  /** Of the rows that are not empty, from 1. */
  number: number;
  name: string;
  /** A role's name; empty for the one that all get. */
  role: string;
  tags: string[];
  /** Empty for the lowest free one. */
  address: string;
}

const columns = {
  name: ["name", "host", "hostname"],
  role: ["role"],
  tags: ["tags", "tag"],
  address: ["ip", "address", "addresses", "ipaddress", "ip address"],
};
type ColumnName = keyof typeof columns;
const order = Object.keys(columns) as ColumnName[];

/** Where each column is: by the header where there is one, else in the order of the instructions. */
function layoutOf(first: readonly string[]): {
  hasHeader: boolean;
  cellOf: (row: string[], name: ColumnName) => string;
} {
  const heads = first.map((cell) => cell.toLowerCase());
  const hasHeader = columns.name.includes(heads[0] ?? "") && (heads.length > 1 || heads[0] === "name");
  const positions = order.map((name, position) =>
    hasHeader ? heads.findIndex((head) => columns[name].includes(head)) : position,
  );
  return { hasHeader, cellOf: (row, name) => row[positions[order.indexOf(name)] ?? -1] ?? "" };
}

/** Between tags may stand whatever a name cannot have; white space too where it must, for a name may have one. */
function splitTags(cell: string): string[] {
  return cell
    .split(/[;,|]/)
    .flatMap((piece) => (piece.split(":").length > 2 ? piece.trim().split(/\s+/) : [piece.trim()]))
    .filter((tag) => tag !== "");
}

/** One name a line, or lines of name, role, tags and address. */
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

/** What `parseHostRows` reads the same rows from. */
export const formatHostRows = (rows: readonly Omit<HostRow, "number">[]): string =>
  toCsv([
    ["name", "role", "tags", "ip"],
    ...rows.map(({ name, role, tags, address }) => [name, role, tags.join(";"), address]),
  ]);

/** What there is to be held against; undefined while it is not known. */
export interface KnownThings {
  cidr: string | undefined;
  roleNames: readonly string[] | undefined;
  tagNames: readonly string[] | undefined;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function addressFault(address: string, cidr: string | undefined): string | undefined {
  const given = parseIpv4(address);
  if (given === undefined) return `${address} is no IPv4 address`;
  const network = cidr === undefined ? undefined : parseCidr(cidr);
  if (!network) return undefined;
  const isInside = cidrContains(network, { address: given, prefixLength: 32 });
  const offset = given - network.address;
  if (!isInside || offset < 1 || offset > hostCapacity(network))
    return `${address} is not for hosts of ${cidr}`;
  return undefined;
}

function twinFault(row: HostRow, before: readonly HostRow[]): string | undefined {
  const twin = before.find(({ name }) => isSame(name, row.name));
  if (twin) return `has the name of row ${twin.number}`;
  const neighbour = before.find(({ address }) => address !== "" && address === row.address);
  return neighbour && `has the address of row ${neighbour.number}`;
}

/** What is wrong with a row, as far as it can be told here; the server has the last word. */
function faultsOf(row: HostRow, before: readonly HostRow[], known: KnownThings): string[] {
  const { roleNames, tagNames, cidr } = known;
  const unknownTags = tagNames ? row.tags.filter((tag) => !tagNames.includes(tag)) : [];
  const isNamed = HostV2Create.shape.name.safeParse(row.name).success;
  return [
    isNamed ? twinFault(row, before) : "needs a name of 1 to 255 characters",
    row.role !== "" && roleNames && !roleNames.some((name) => isSame(name, row.role))
      ? `there is no role ${row.role}`
      : undefined,
    unknownTags.length > 0 ? `there is no tag ${unknownTags.join(", ")}` : undefined,
    row.tags.length > TAGS_MAX ? `has more than ${TAGS_MAX} tags` : undefined,
    row.address === "" ? undefined : addressFault(row.address, cidr),
  ].filter((fault) => fault !== undefined);
}

export interface CheckedRow extends HostRow {
  faults: string[];
}

export const checkRows = (text: string, known: KnownThings): CheckedRow[] =>
  parseHostRows(text).map((row, index, rows) => ({
    ...row,
    faults: faultsOf(row, rows.slice(0, index), known),
  }));

/** Why the rows cannot be added as they are. */
export function refusalOf(rows: readonly CheckedRow[]): string | undefined {
  const faulty = rows.filter(({ faults }) => faults.length > 0).length;
  if (rows.length === 0) return "Paste or type at least one name.";
  if (rows.length > ROWS_MAX) return `${ROWS_MAX} hosts at a time: these are ${rows.length}.`;
  return faulty > 0 ? `${formatCount(faulty, "row has a fault", "rows have faults")}: see below.` : undefined;
}
