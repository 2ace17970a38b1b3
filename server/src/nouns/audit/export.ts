/** The log as text, a batch of entries at a time, read no faster than it is taken. */
import type { Reader } from "../../infrastructure/db/client.ts";
import { type AuditRow, toChainedEntry } from "../../infrastructure/audit-chain/entries.ts";
import type { AuditFilter, Head } from "./audit.queries.ts";
import { walkBack, walkChain } from "./walks.ts";

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

/** A spreadsheet runs what begins like a formula; a quote makes it text again. */
const harmless = (text: string) => (/^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);
const toCell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** As in RFC 4180. */
export const csvLine = (texts: readonly string[]): string =>
  `${texts.map((text) => toCell(harmless(text))).join(",")}\r\n`;

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
  for await (const rows of walkBack(db, organizationID, filter)) yield rows.map(toCsv).join("");
}

/** What `scripts/verify-audit-log.mjs` knows a chain by. */
const CHAIN_FORMAT = { format: "lightkeeper-audit-log", version: 1 };

const jsonLine = (value: object) => `${JSON.stringify(value)}\n`;

/** As the database has it, right or wrong: whoever holds the file against its hashes finds out. */
const toChainLine = (row: AuditRow) =>
  jsonLine({ ...toChainedEntry(row, row.sequence ?? 0), hash: row.hash?.toString("hex") });

/** The whole chain, after a line that says how long it is and what it ends with. */
export async function* exportChain(
  db: Reader,
  organizationID: string,
  head: Head | undefined,
): AsyncGenerator<string> {
  const entries = head?.sequence ?? 0;
  yield jsonLine({ ...CHAIN_FORMAT, organizationID, entries, head: head?.hash.toString("hex") ?? null });
  for await (const rows of walkChain(db, organizationID, entries)) yield rows.map(toChainLine).join("");
}
