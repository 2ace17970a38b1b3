/** A body that begins with one JSON object, which a stream of bytes may follow. */
import type { Readable } from "node:stream";
import { bodyBytesMaxOf, type Endpoint } from "@lightkeeper/contract";
import type { FastifyRequest } from "fastify";
import { ApiError, payloadTooLarge } from "../../infrastructure/errors/api-error.ts";
import { parseJsonBytes } from "../../infrastructure/http/parse.ts";
import { SECOND_MS } from "../../infrastructure/time/durations.ts";

/** Agents send objects with few strings, including keys. Parsing many more would only cost time. */
const STRINGS_MAX = 1000;
/** Node reads at most this much from a socket at a time. In a longer body, strings are counted before it is parsed. */
const SHORT_BYTES_MAX = 64 * 1024;
/** Limits the time for the object, not for the stream after it. */
const OBJECT_MS = 30 * SECOND_MS;

export interface JsonBody {
  value: unknown;
  /** The stream after the object. */
  rest: AsyncGenerator<Buffer>;
}

const [OPEN, CLOSE, QUOTE, BACKSLASH] = Buffer.from('{}"\\');
const WHITE_SPACE = new Set(Buffer.from(" \t\r\n"));

/** Takes one byte at a time and returns true at the end of the object. */
function createObjectScanner() {
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

/** A missing body counts as an empty object. */
export async function readRequestBody(endpoint: Endpoint, request: FastifyRequest): Promise<JsonBody> {
  const body = request.body as Readable | undefined;
  const bytesMax = bodyBytesMaxOf(endpoint);
  const isShort = Number(request.headers["content-length"]) <= SHORT_BYTES_MAX;
  const timer = setTimeout(() => body?.destroy(), OBJECT_MS);
  try {
    return await readObject(isShort ? inOnePiece(chunksOf(body)) : chunksOf(body), bytesMax);
  } finally {
    clearTimeout(timer);
  }
}

async function readObject(chunks: AsyncGenerator<Buffer>, bytesMax: number): Promise<JsonBody> {
  const isObjectEnd = createObjectScanner();
  const read: Buffer[] = [];
  let length = 0;
  for (let { done, value } = await chunks.next(); !done; { done, value } = await chunks.next()) {
    const chunk = value ?? Buffer.alloc(0);
    const whole = length === 0 && chunk.length <= bytesMax ? parseWholeObject(chunk) : undefined;
    if (whole) return { value: whole, rest: concatChunks(Buffer.alloc(0), chunks) };
    const end = chunk.findIndex(isObjectEnd);
    const part = end === -1 ? chunk : chunk.subarray(0, end + 1);
    read.push(part);
    length += part.length;
    if (length > bytesMax) throw payloadTooLarge(bytesMax);
    if (end !== -1)
      return {
        value: parseJsonBytes(Buffer.concat(read)),
        rest: concatChunks(chunk.subarray(end + 1), chunks),
      };
  }
  const value = length === 0 ? {} : parseJsonBytes(Buffer.concat(read));
  return { value, rest: concatChunks(Buffer.alloc(0), chunks) };
}

/** Skips the scan if the chunk is exactly one object, which is the usual case. */
function parseWholeObject(bytes: Buffer): object | undefined {
  if (bytes[0] !== OPEN || bytes.at(-1) !== CLOSE) return undefined;
  try {
    return parseJsonBytes(bytes) as object;
  } catch {
    return undefined;
  }
}

/** Ends without an error if the client disconnects. */
async function* chunksOf(body: Readable | undefined): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body?.iterator({ destroyOnReturn: false }) ?? []) yield chunk as Buffer;
  } catch {
    return;
  }
}

/** Reads to the end: an iterator that stops earlier stays in memory with the request, which may wait for a minute. */
async function* inOnePiece(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) read.push(chunk);
  yield Buffer.concat(read);
}

async function* concatChunks(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
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
