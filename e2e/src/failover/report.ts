/** The printed results of the faults. */
import type { FaultResult } from "./story.ts";
import type { Verification } from "./verify.ts";

const COLUMNS = ["fault", "reads (s)", "writes (s)", "agents (s)", "failed", "unexpected"];

const seconds = (value: number) => value.toFixed(1);

const toRow = ({ name, reads, writes, agentSeconds, failedMessages, unexpected }: FaultResult): string[] => [
  name,
  seconds(reads.seconds),
  seconds(writes.seconds),
  seconds(agentSeconds),
  String(reads.failed + writes.failed + failedMessages),
  String(unexpected.length),
];

/** One line. */
export const describeResult = (result: FaultResult): string =>
  toRow(result)
    .slice(1)
    .map((cell, index) => `${COLUMNS[index + 1]}: ${cell}`)
    .join(", ");

function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const align = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row) => row.map(align).join("  "));
}

/** Everything that must not happen, one line each. */
export function listProblems(results: readonly FaultResult[], verification: Verification): string[] {
  const { lost, duplicated, enrolledAgain } = verification;
  return [
    ...results.flatMap(({ name, unexpected }) => unexpected.map((text) => `${name}: ${text}`)),
    ...lost.map((text) => `Lost: ${text}`),
    ...duplicated.map((text) => `Duplicated: ${text}`),
    ...enrolledAgain.map((id) => `Enrolled again: ${id}`),
  ];
}

export function formatReport(results: readonly FaultResult[], verification: Verification): string[] {
  const { lost, duplicated, enrolledAgain, counts } = verification;
  return [
    "Seconds until the slowest client succeeded again, and until every agent had a change made after the fault:",
    ...formatTable([COLUMNS, ...results.map(toRow)]),
    "",
    `${counts.hosts} acknowledged hosts, ${counts.jobs} jobs, ${counts.notifications} notifications and ${counts.entries} audit log entries verified.`,
    `${lost.length} lost, ${duplicated.length} duplicated, ${enrolledAgain.length} hosts enrolled again; ${counts.repeatedNotifications} webhook requests were repeated with the same ID.`,
    ...listProblems(results, verification),
  ];
}
