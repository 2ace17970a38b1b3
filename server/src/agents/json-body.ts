/** A body that begins with one JSON object; whatever follows it is a stream of bytes. */
import type { Readable } from "node:stream";
import { ApiError } from "../http/api-error.ts";

const OBJECT_BYTES_MAX = 1024 * 1024;
/** What follows the object may take its time; the object may not. */
const OBJECT_MS = 30_000;

export interface JsonBody {
  value: unknown;
  /** What came after it, as it comes. */
  rest: AsyncGenerator<Buffer>;
}

const [OPEN, CLOSE, QUOTE, BACKSLASH] = Buffer.from('{}"\\');
const WHITE_SPACE = new Set(Buffer.from(" \t\r\n"));

/** Told one byte after the other, says when the object is over. */
function createScanner() {
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  return (byte: number): boolean => {
    if (isInText) {
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isInText = false;
      return false;
    }
    if (depth === 0 && byte !== OPEN && !WHITE_SPACE.has(byte)) throw new ApiError("ERR_INVALID_JSON");
    if (byte === QUOTE) isInText = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE) return --depth === 0;
    return false;
  };
}

/** No body at all is an empty object. */
export async function readJsonBody(body: Readable | undefined): Promise<JsonBody> {
  const timer = setTimeout(() => body?.destroy(), OBJECT_MS);
  try {
    return await readObject(body);
  } finally {
    clearTimeout(timer);
  }
}

async function readObject(body: Readable | undefined): Promise<JsonBody> {
  const chunks = chunksOf(body);
  const isOver = createScanner();
  let read = Buffer.alloc(0);
  for (let { done, value } = await chunks.next(); !done; { done, value } = await chunks.next()) {
    const chunk = value ?? Buffer.alloc(0);
    const whole = read.length === 0 ? wholeObject(chunk) : undefined;
    if (whole) return { value: whole, rest: following(Buffer.alloc(0), chunks) };
    const end = chunk.findIndex(isOver);
    read = Buffer.concat([read, end === -1 ? chunk : chunk.subarray(0, end + 1)]);
    if (read.length > OBJECT_BYTES_MAX) throw new ApiError("ERR_PAYLOAD_TOO_LARGE");
    if (end !== -1) return { value: parsed(read), rest: following(chunk.subarray(end + 1), chunks) };
  }
  return { value: read.length === 0 ? {} : parsed(read), rest: following(Buffer.alloc(0), chunks) };
}

/** Mostly it comes in one piece and nothing follows. */
function wholeObject(bytes: Buffer): object | undefined {
  if (bytes[0] !== OPEN || bytes.at(-1) !== CLOSE || bytes.length > OBJECT_BYTES_MAX) return undefined;
  try {
    return JSON.parse(bytes.toString("utf8")) as object;
  } catch {
    return undefined;
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new ApiError("ERR_INVALID_JSON");
  }
}

/** Who hangs up in the middle has said no more than that. */
async function* chunksOf(body: Readable | undefined): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body?.iterator({ destroyOnReturn: false }) ?? []) yield chunk as Buffer;
  } catch {
    return;
  }
}

async function* following(first: Buffer, others: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* others;
}
