/** Verifies the audit chain with the program that customers use, and compares the entries with the model. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type AuditActor, type Client, exportAuditLogs } from "@lightkeeper/contract";
import { Mismatch } from "../call.ts";
import type { ModelEntry, Organization } from "../state.ts";

const VERIFIER = fileURLToPath(new URL("../../../../../scripts/verify-audit-log.mjs", import.meta.url));

/** Written by a monitor some time after a change, or when an invited person logs in for the first time. */
const OTHER_EVENTS = new Set([
  "STARTED_FAILING",
  "STOPPED_FAILING",
  "SUCCEEDED_AUTH",
  "CREATED_LOGIN_LINK",
  "CREATED_TOTP",
  "CREATED_RECOVERY_CODES",
]);

async function verifyExport(text: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "lightkeeper-audit-"));
  const file = join(directory, "audit-log.ndjson");
  try {
    await writeFile(file, text);
    await promisify(execFile)(process.execPath, [VERIFIER, file]);
  } catch (error) {
    throw new Mismatch(`The audit log can't be verified: ${String(error)}`);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** An entry of the exported chain. */
interface ExportedEntry {
  actor: AuditActor;
  targetType: string;
  targetID: string;
  eventType: string;
}

const describe = ({ event, targetType, targetID, actor }: ModelEntry): string =>
  `${event} ${targetType} ${targetID} by ${actor}`;

const describeExported = ({ eventType, targetType, targetID, actor }: ExportedEntry): string =>
  `${eventType} ${targetType} ${targetID} by ${"id" in actor ? actor.id : actor.type}`;

/** What is in the first list more often than in the second. */
function findSurplus(texts: readonly string[], others: readonly string[]): string[] {
  const remaining = [...others];
  return texts.filter((text) => {
    const index = remaining.indexOf(text);
    if (index !== -1) remaining.splice(index, 1);
    return index === -1;
  });
}

/** Every change has exactly its entries; the order within a batch doesn't matter. */
export async function checkAuditLog(call: Client, organization: Organization): Promise<void> {
  const response = await call(exportAuditLogs, { query: { format: "ndjson" } });
  const text = await response.text();
  await verifyExport(text);
  const [, ...lines] = text.trim().split("\n");
  const entries = lines
    .map((line) => JSON.parse(line) as ExportedEntry)
    .slice(organization.earlierEntryCount);
  const actual = entries.filter(({ eventType }) => !OTHER_EVENTS.has(eventType)).map(describeExported);
  const expected = organization.entries.map(describe);
  const [surplus, missing] = [findSurplus(actual, expected), findSurplus(expected, actual)];
  if (surplus.length + missing.length > 0)
    throw new Mismatch(
      `The audit log of ${organization.id} has ${surplus.join("; ") || "nothing"} that the model doesn't expect, and lacks ${missing.join("; ") || "nothing"}`,
    );
}
