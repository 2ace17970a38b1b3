/** A body that begins with one JSON object; whatever follows it is a stream of bytes. */
import type { Readable } from "node:stream";
import { ApiError, payloadTooLarge } from "../../infrastructure/errors/api-error.ts";
import { parseJsonBytes } from "../../infrastructure/http/parse.ts";

/** Agents' objects have a handful of strings, keys included. More would only cost time to parse. */
const STRINGS_MAX = 1000;
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
  let strings = 0;
  return (byte: number): boolean => {
    if (isInText) {
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isInText = false;
      return false;
    }
    if (depth === 0 && byte !== OPEN && !WHITE_SPACE.has(byte)) throw new ApiError("ERR_INVALID_JSON");
    if (byte === QUOTE) {
      isInText = true;
      if (++strings > STRINGS_MAX) throw new ApiError("ERR_INVALID_VALUE", { message: "has too many keys" });
    } else if (byte === OPEN) depth++;
    else if (byte === CLOSE) return --depth === 0;
    return false;
  };
}

/** No body at all is an empty object. */
export async function readJsonBody(body: Readable | undefined, bytesMax: number): Promise<JsonBody> {
  const timer = setTimeout(() => body?.destroy(), OBJECT_MS);
  try {
    return await readObject(body, bytesMax);
  } finally {
    clearTimeout(timer);
  }
}

async function readObject(body: Readable | undefined, bytesMax: number): Promise<JsonBody> {
  const chunks = chunksOf(body);
  const isOver = createScanner();
  const read: Buffer[] = [];
  let length = 0;
  for (let { done, value } = await chunks.next(); !done; { done, value } = await chunks.next()) {
    const chunk = value ?? Buffer.alloc(0);
    const whole = length === 0 && chunk.length <= bytesMax ? wholeObject(chunk) : undefined;
    if (whole) return { value: whole, rest: following(Buffer.alloc(0), chunks) };
    const end = chunk.findIndex(isOver);
    const part = end === -1 ? chunk : chunk.subarray(0, end + 1);
    read.push(part);
    length += part.length;
    if (length > bytesMax) throw payloadTooLarge(bytesMax);
    if (end !== -1)
      return { value: parseJsonBytes(Buffer.concat(read)), rest: following(chunk.subarray(end + 1), chunks) };
  }
  const value = length === 0 ? {} : parseJsonBytes(Buffer.concat(read));
  return { value, rest: following(Buffer.alloc(0), chunks) };
}

/** Mostly it comes in one piece and nothing follows. */
function wholeObject(bytes: Buffer): object | undefined {
  if (bytes[0] !== OPEN || bytes.at(-1) !== CLOSE) return undefined;
  try {
    return parseJsonBytes(bytes) as object;
  } catch {
    return undefined;
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

/** The same chunks, as if they ended when the signal is aborted. */
export async function* chunksUntil(
  signal: AbortSignal,
  chunks: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const listening = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { signal: listening.signal });
  });
  try {
    for (;;) {
      const next = await Promise.race([aborted, chunks.next()]);
      if (!next || next.done) return;
      yield next.value;
    }
  } finally {
    listening.abort();
  }
}
