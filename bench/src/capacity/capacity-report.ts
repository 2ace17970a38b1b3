/** The capacity as Markdown tables, for the terminal and the documentation. */
import { ASSUMPTIONS, type Capacity, type Constants, operations } from "./capacity-model.ts";

/** The numbers of hosts that the table shows. */
export const SIZES = [1_000_000, 2_000_000, 5_000_000, 10_000_000];

const numberFormat = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const format = (value: number) => numberFormat.format(value);
const formatCount = (value: number) => new Intl.NumberFormat("en-US").format(value);
const percent = (share: number) => `${format(100 * share)} %`;

function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const pad = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  const line = (row: readonly string[]) => `| ${row.map(pad).join(" | ")} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(header), `| ${rule.join(" | ")} |`, ...rows.map(line)];
}

const ROWS: readonly [string, (capacity: Capacity) => string][] = [
  ["Agents per `serve` process", ({ agentsPerProcess }) => formatCount(agentsPerProcess)],
  ["limited by", ({ processLimit }) => processLimit],
  ["`serve` processes", ({ processes }) => formatCount(processes)],
  ["Server cores", ({ serverCores }) => format(serverCores)],
  ["Server memory, GiB", ({ serverGibibytes }) => format(serverGibibytes)],
  ["Database cores", ({ databaseCores }) => format(databaseCores)],
  ["Database size, GiB", ({ databaseGibibytes }) => format(databaseGibibytes)],
  ["WAL, MiB a second", ({ walMebibytesPerSecond }) => format(walMebibytesPerSecond)],
  ["Database connections", ({ connections }) => formatCount(connections)],
  ["Of one cluster’s CPU", ({ clusterShares }) => percent(clusterShares["database CPU"])],
  ["Of one cluster’s WAL", ({ clusterShares }) => percent(clusterShares.WAL)],
  ["Of one cluster’s size", ({ clusterShares }) => percent(clusterShares["database size"])],
  ["Of one cluster’s connections", ({ clusterShares }) => percent(clusterShares.connections)],
  ["Saturates first", ({ saturatesFirst }) => saturatesFirst],
  ["PostgreSQL clusters", ({ clusters }) => formatCount(clusters)],
  ["Hosts that fit in one cluster", ({ hostsPerCluster }) => formatCount(hostsPerCluster)],
];

export const capacityTable = (capacities: readonly Capacity[]): string[] =>
  table(
    ["Hosts", ...capacities.map(({ hosts }) => formatCount(hosts))],
    ROWS.map(([name, read]) => [name, ...capacities.map(read)]),
  );

export function constantsTables({ costs, idle, memory, storage }: Constants): string[] {
  const costRows = operations.map((operation) => {
    const { serverMs, databaseMs, walBytes } = costs[operation];
    return [operation, format(serverMs), format(databaseMs), format(walBytes)];
  });
  return [
    ...table(["Operation", "Server CPU, ms", "Database CPU, ms", "WAL, bytes"], costRows),
    "",
    ...table(
      ["Constant", "Value"],
      [
        ["Idle process: server cores", format(idle.serverCores)],
        ["Idle process: database cores", format(idle.databaseCores)],
        ["Memory of a process, MiB", format(memory.processMebibytes)],
        ["Memory per connected agent, KiB", format(memory.kibibytesPerAgent)],
        ["Memory per host in an access model, KiB", format(memory.kibibytesPerModelHost)],
        ["Database per host, bytes", format(storage.bytesPerHost)],
        ["Database per audit entry, bytes", format(storage.bytesPerAuditEntry)],
        ["Database per stored message, bytes", format(storage.bytesPerMessage)],
      ],
    ),
  ];
}

export function describeConstants({ measuredAt, machine, agents }: Constants): string {
  const { cpu, cores, memoryGibibytes, node, postgresql } = machine;
  return `Measured on ${measuredAt} with ${formatCount(agents)} agents: ${cores} cores of ${cpu}, ${format(memoryGibibytes)} GiB, Node.js ${node}, PostgreSQL ${postgresql}.`;
}

export function describeAssumptions(): string {
  const { perDay, auditYears, usedShare, process, cluster } = ASSUMPTIONS;
  return [
    `Assumed per host and day: ${perDay.update} updates, ${perDay.read} reads, ${perDay.write} writes and ${perDay.enrollment} enrollments; audit entries of ${auditYears} years; ${percent(usedShare)} of each core used.`,
    `A process has ${process.cores} core, ${formatCount(process.mebibytes)} MiB and ${formatCount(process.openFiles)} open files. A cluster has ${cluster.cores} cores, ${formatCount(cluster.gibibytes)} GiB, ${cluster.walMebibytesPerSecond} MiB of WAL a second and ${formatCount(cluster.connections)} connections.`,
  ].join("\n");
}
