/**
 * Verifies the hashes of an exported audit log (`format=ndjson`) offline, with Node.js only. With a head from an earlier
 * export, it also verifies that the entries before that head are unchanged.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const USAGE = "usage: node scripts/verify-audit-log.mjs FILE [EARLIER_HEAD]";

/** JSON with sorted keys, which is the hashed text of an entry. */
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${pairs.join(",")}}`;
}

class VerificationError extends Error {}

function parse(line, number) {
  try {
    const value = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Reported below, like other invalid lines.
  }
  throw new VerificationError(`line ${number} isn't an entry`);
}

function readHeader(line) {
  const header = parse(line, 1);
  if (header.format !== "lightkeeper-audit-log" || header.version !== 1)
    throw new VerificationError("the file isn't an audit log exported with format=ndjson");
  return header;
}

/** Verifies an entry and returns its hash. */
function verifyEntry(line, { header, previous, sequence }) {
  const { hash, ...entry } = parse(line, sequence + 1);
  if (entry.sequence !== sequence)
    throw new VerificationError(
      `entry ${sequence} is missing: line ${sequence + 1} has entry ${entry.sequence}`,
    );
  if (entry.organizationID !== header.organizationID)
    throw new VerificationError(`entry ${sequence} (${entry.id}) belongs to another organization`);
  const expected = createHash("sha256").update(previous).update(canonicalJson(entry)).digest();
  if (hash !== expected.toString("hex"))
    throw new VerificationError(`entry ${sequence} (${entry.id}) has been changed`);
  return expected;
}

async function verify(file, earlierHead) {
  let header;
  let previous = Buffer.alloc(32);
  let sequence = 0;
  let isEarlierHeadFound = earlierHead === undefined;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!header) {
      header = readHeader(line);
      continue;
    }
    sequence += 1;
    previous = verifyEntry(line, { header, previous, sequence });
    if (previous.toString("hex") === earlierHead) isEarlierHeadFound = true;
  }
  if (!header) throw new VerificationError("the file is empty");
  if (sequence !== header.entries)
    throw new VerificationError(`the log has ${header.entries} entries, but the file has ${sequence}`);
  const head = sequence > 0 ? previous.toString("hex") : null;
  if (head !== header.head) throw new VerificationError("the last entry isn't the head of the log");
  if (!isEarlierHeadFound)
    throw new VerificationError("the earlier head isn't in the log: the log was rewritten");
  return { entries: sequence, head, organizationID: header.organizationID };
}

const [file, earlierHead, ...rest] = process.argv.slice(2);
if (file === undefined || rest.length > 0) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
try {
  const { entries, head, organizationID } = await verify(file, earlierHead?.toLowerCase());
  process.stdout.write(`ok: ${entries} entries of ${organizationID}, complete and unchanged\nhead ${head}\n`);
} catch (error) {
  const isInvalid = error instanceof VerificationError;
  process.stderr.write(`${isInvalid ? "INVALID" : "Can't read the file"}: ${error.message}\n`);
  process.exitCode = isInvalid ? 1 : 2;
}
