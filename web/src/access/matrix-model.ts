/** The matrix as the grid and the table show it. */
import type { AccessGroup, AccessHostReference, AccessMatrix, AccessTraffic } from "@lightkeeper/contract";
import { formatIp, parseIpPrefix } from "@lightkeeper/nebula";
import { accessPath } from "../references/access-paths.ts";
import { trafficLabel, summarizeTraffic, type TrafficSummary } from "../rules/traffic-labels.ts";

export interface MatrixLine {
  /** Stays the same while the first host does. */
  key: string;
  title: string;
  /** "env:prod · team:web" */
  subtitle: string;
  /** Undefined for subnets. */
  hostCount: number | undefined;
  hosts: readonly AccessHostReference[];
  /** An address in the subnet, if it is one. */
  address: string | undefined;
}

export interface MatrixCell {
  row: number;
  column: number;
  traffic: readonly AccessTraffic[];
  summary: TrafficSummary;
  /** "TCP 80 and 443" */
  label: string;
  /** Only some hosts of the groups have this access. */
  isPartial: boolean;
}

export interface MatrixModel {
  rows: readonly MatrixLine[];
  columns: readonly MatrixLine[];
  /** In the order of the rows. */
  cells: readonly MatrixCell[];
  cellAt: (row: number, column: number) => MatrixCell;
  /** There are too many cells to show ports. */
  isDense: boolean;
}

export interface MatrixPosition {
  row: number;
  column: number;
}

const DENSE_ABOVE = 40;
/** In a subnet with at most this many bits for hosts, the first address can belong to a host. */
const POINT_TO_POINT_BITS = 1;

function groupLine(
  { role, tags, hosts, hostCount }: AccessGroup,
  detail: AccessMatrix["detail"],
): MatrixLine {
  const [first] = hosts;
  const roleName = role?.name ?? "No role";
  const isHost = detail === "hosts" && first !== undefined;
  return {
    key: first?.id ?? `${role?.id} ${tags.join()}`,
    title: isHost ? first.name : roleName,
    subtitle: (isHost ? [roleName, ...tags] : tags).join(" · "),
    hostCount,
    hosts,
    address: undefined,
  };
}

/** The first address that a host can have in the subnet. */
function firstAddress(cidr: string): string {
  const prefix = parseIpPrefix(cidr);
  if (!prefix) return cidr.replace(/\/.*$/, "");
  const { address, prefixLength } = prefix;
  const hostBits = address.length * 8 - prefixLength;
  const lastByte = (address.at(-1) ?? 0) | (hostBits > POINT_TO_POINT_BITS ? 1 : 0);
  return formatIp(address.with(address.length - 1, lastByte));
}

const subnetLine = ({ cidr, except }: AccessMatrix["subnets"][number]): MatrixLine => ({
  key: cidr,
  title: cidr,
  subtitle: except.length > 0 ? `except ${except.join(", ")}` : "",
  hostCount: undefined,
  hosts: [],
  address: firstAddress(cidr),
});

const nothing = { traffic: [], summary: summarizeTraffic([]), label: "nothing", isPartial: false };

export function createMatrixModel({ groups, subnets, traffic, cells, detail }: AccessMatrix): MatrixModel {
  const rows = groups.map((group) => groupLine(group, detail));
  const columns = [...rows, ...subnets.map(subnetLine)];
  const described = traffic.map((set) => ({
    traffic: set,
    summary: summarizeTraffic(set),
    label: trafficLabel(set),
  }));
  const shown = cells
    .map(({ source, destination, isPartial, traffic: set }): MatrixCell => ({
      ...nothing,
      ...described[set],
      row: source,
      column: destination,
      isPartial,
    }))
    .toSorted((one, other) => one.row - other.row || one.column - other.column);
  const byPosition = new Map(shown.map((cell) => [cell.row * columns.length + cell.column, cell]));
  return {
    rows,
    columns,
    cells: shown,
    cellAt: (row, column) => byPosition.get(row * columns.length + column) ?? { ...nothing, row, column },
    isDense: rows.length > DENSE_ABOVE,
  };
}

/** "Database · env:prod" */
export const lineName = ({ title, subtitle }: Pick<MatrixLine, "title" | "subtitle">): string =>
  subtitle ? `${title} · ${subtitle}` : title;

/** "Web to Database · env:prod: TCP 5432 (PostgreSQL)" */
export function cellName(
  { rows, columns }: MatrixModel,
  { row, column, label, isPartial }: MatrixCell,
): string {
  const [source, destination] = [rows[row], columns[column]];
  if (!source || !destination) return "";
  const allowed = label === nothing.label ? "denied" : label;
  return `${lineName(source)} to ${lineName(destination)}: ${allowed}${isPartial ? ", some hosts" : ""}`;
}

export interface ExamplePair {
  sourceID: string;
  /** The ID of a host, or an address. */
  destination: string;
}

/** Of a group of a whole role, maybe only some hosts have the tags that a rule requires. */
const EXAMPLES_MAX = 4;

/** Pairs that stand for the groups, each with other hosts if possible. */
export function examplePairs(model: MatrixModel, { row, column }: MatrixPosition): ExamplePair[] {
  const sources = model.rows[row]?.hosts.slice(0, EXAMPLES_MAX) ?? [];
  const line = model.columns[column];
  return sources.flatMap((source, index) => {
    const others = line?.hosts.filter(({ id }) => id !== source.id) ?? [];
    const host = others[index % others.length] ?? line?.hosts[0];
    const destination = line?.address ?? host?.id;
    return destination === undefined ? [] : [{ sourceID: source.id, destination }];
  });
}

/** What to ask about a set of traffic, which may be a range. */
export function questionAbout(traffic: AccessTraffic): {
  protocol: "TCP" | "UDP" | "ICMP";
  port: number | null;
} {
  if (traffic.protocol === "ICMP") return { protocol: "ICMP", port: null };
  const protocol = traffic.protocol === "UDP" ? "UDP" : "TCP";
  return { protocol, port: traffic.portRange?.from ?? 1 };
}

/** The page that checks two hosts of a cell. */
export function examplePath(model: MatrixModel, cell: MatrixCell, pairIndex = 0): string | undefined {
  const pair = examplePairs(model, cell)[pairIndex];
  const [first] = cell.traffic;
  const question = first && questionAbout(first);
  return (
    pair &&
    accessPath({
      source: pair.sourceID,
      destination: pair.destination,
      protocol: question?.protocol,
      port: question?.port?.toString(),
    })
  );
}
