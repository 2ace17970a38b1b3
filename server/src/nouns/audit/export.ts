/** Exports the log as text, in batches, no faster than the client reads it. */
import type { Reader } from "../../infrastructure/db/client.ts";
import { type AuditRow, toChainedEntry } from "../../infrastructure/audit-chain/entries.ts";
import { type AuditFilter, findSealedEntries, type Head } from "./audit.queries.ts";
import { readNewestFirst, readChain } from "./entry-batches.ts";

const COLUMNS = [
  "timestamp",
  "id",
  "actorType",
  "actor",
  "action",
  "targetType",
  "targetID",
  "before",
  "after",
];

/** Prevents formula injection: a leading quote makes a spreadsheet treat the cell as text. */
const escapeFormula = (text: string) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);
const toCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** RFC 4180. */
export const csvLine = (texts: readonly string[]): string =>
  `${texts.map((text) => toCell(escapeFormula(text))).join(",")}\r\n`;

function actorText({ actor }: AuditRow): string {
  switch (actor.type) {
    case "user":
    case "oidcUser":
      return actor.email;
    case "apiKey":
    case "host":
      return actor.name ?? actor.id;
    case "support":
    case "system":
      return actor.type;
  }
}

const snapshotText = (snapshot: AuditRow["before"]) => (snapshot === null ? "" : JSON.stringify(snapshot));

const toCsv = (row: AuditRow) =>
  csvLine([
    row.timestamp,
    row.id,
    row.actor.type,
    actorText(row),
    row.event_type,
    row.target_type,
    row.target_id,
    snapshotText(row.before),
    snapshotText(row.after),
  ]);

export async function* exportCsv(
  db: Reader,
  organizationID: string,
  filter: AuditFilter,
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const rows of readNewestFirst(db, organizationID, filter)) yield rows.map(toCsv).join("");
}

/** Checked by `scripts/verify-audit-log.mjs`. */
const CHAIN_FORMAT = { format: "lightkeeper-audit-log", version: 1 };

const jsonLine = (value: object) => `${JSON.stringify(value)}\n`;

/** Exports the stored hash, correct or not: verifying the file is what finds tampering. */
const toChainLine = (row: AuditRow) =>
  jsonLine({ ...toChainedEntry(row, row.sequence ?? 0), hash: row.hash?.toString("hex") });

/** A part of the chain, without a first line. */
export async function exportEntries(
  db: Reader,
  organizationID: string,
  { after, count }: { after: number; count: number },
): Promise<string> {
  return (await findSealedEntries(db, organizationID, after, count)).map(toChainLine).join("");
}

/** The first line has the number of entries and the last hash. */
export async function* exportChain(
  db: Reader,
  organizationID: string,
  head: Head | undefined,
): AsyncGenerator<string> {
  const entries = head?.sequence ?? 0;
  yield jsonLine({ ...CHAIN_FORMAT, organizationID, entries, head: head?.hash.toString("hex") ?? null });
  for await (const rows of readChain(db, organizationID, entries)) yield rows.map(toChainLine).join("");
}
