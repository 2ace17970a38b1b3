/**
 * Holds an exported audit log (`format=ndjson`) against its hashes: by itself, without a server, with nothing but
 * Node. A head that was noted earlier shows that what came before it is still the same.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const USAGE = "usage: node scripts/verify-audit-log.mjs FILE [HEAD NOTED EARLIER]";

/** JSON with sorted keys: the text that was hashed when the entry was sealed. */
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${pairs.join(",")}}`;
}

class Broken extends Error {}

function parse(line, number) {
  try {
    const value = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said below, as of any other line that is no entry.
  }
  throw new Broken(`line ${number} is not an entry`);
}

function readHeader(line) {
  const header = parse(line, 1);
  if (header.format !== "lightkeeper-audit-log" || header.version !== 1)
    throw new Broken("the file is not an audit log exported with format=ndjson");
  return header;
}

/** The hash of an entry, given that of the one before it. */
function follow(line, { header, previous, place }) {
  const { hash, ...entry } = parse(line, place + 1);
  if (entry.sequence !== place)
    throw new Broken(`entry ${place} is missing: line ${place + 1} has entry ${entry.sequence}`);
  if (entry.organizationID !== header.organizationID)
    throw new Broken(`entry ${place} (${entry.id}) is of another organization`);
  const expected = createHash("sha256").update(previous).update(canonicalJson(entry)).digest();
  if (hash !== expected.toString("hex")) throw new Broken(`entry ${place} (${entry.id}) has been changed`);
  return expected;
}

async function verify(file, noted) {
  let header;
  let previous = Buffer.alloc(32);
  let place = 0;
  let isNotedSeen = noted === undefined;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    if (!header) {
      header = readHeader(line);
      continue;
    }
    place += 1;
    previous = follow(line, { header, previous, place });
    if (previous.toString("hex") === noted) isNotedSeen = true;
  }
  if (!header) throw new Broken("the file is empty");
  if (place !== header.entries) throw new Broken(`the log has ${header.entries} entries, the file ${place}`);
  const head = place > 0 ? previous.toString("hex") : null;
  if (head !== header.head) throw new Broken("the last entry is not the one the log ended with");
  if (!isNotedSeen) throw new Broken("the head that was noted is not in the log: it has been written anew");
  return { entries: place, head, organizationID: header.organizationID };
}

const [file, noted, ...rest] = process.argv.slice(2);
if (file === undefined || rest.length > 0) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
try {
  const { entries, head, organizationID } = await verify(file, noted?.toLowerCase());
  process.stdout.write(`ok: ${entries} entries of ${organizationID}, complete and unchanged\nhead ${head}\n`);
} catch (error) {
  const isBroken = error instanceof Broken;
  process.stderr.write(`${isBroken ? "BROKEN" : "could not be read"}: ${error.message}\n`);
  process.exitCode = isBroken ? 1 : 2;
}
