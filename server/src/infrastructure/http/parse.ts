/** Turns what a client sent into what a handler gets, or into one entry per fault with its exact path. */
import { isUtf8 } from "node:buffer";
import { errorCatalog, type ErrorCode, type Schema } from "@lightkeeper/contract";
import type { FastifyRequest } from "fastify";
import * as z from "zod/mini";
import { removeAbsentNulls } from "./absent-nulls.ts";
import { lengthsOf, schemaAt, valueAt } from "./schema-paths.ts";
import { ApiError, type Fault, refuseAll } from "../errors/api-error.ts";

z.config(z.locales.en());

export function formatPath(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined;
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : `${i ? "." : ""}${String(part)}`))
    .join("");
}

const fault = (code: ErrorCode, message: string, path: readonly PropertyKey[]): Fault => {
  const formatted = formatPath(path);
  return { code, message, ...(formatted !== undefined && { path: formatted }) };
};

/** A text that must have a length and is missing has none. */
function missingTextOf(issue: z.core.$ZodIssue, { schema, value }: Parsed): Fault | undefined {
  if (issue.code !== "invalid_type" || valueAt(value, issue.path) !== undefined) return undefined;
  const lengths = lengthsOf(schemaAt(schema, issue.path));
  if (!lengths) return undefined;
  const message = `must have a length between ${lengths.min} and ${lengths.max}`;
  return fault("ERR_INVALID_VALUE_LENGTH", message, issue.path);
}

interface Parsed {
  schema: Schema;
  value: unknown;
}

function* faultsOf(issue: z.core.$ZodIssue, parsed: Parsed): Generator<Fault> {
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) yield fault("ERR_INVALID_VALUE", "unknown key", [...issue.path, key]);
    return;
  }
  if ((issue.code === "too_small" || issue.code === "too_big") && issue.origin === "string")
    return yield fault("ERR_INVALID_VALUE_LENGTH", issue.message, issue.path);
  const missing = missingTextOf(issue, parsed);
  if (missing) return yield missing;
  const code: unknown = issue.code === "custom" ? issue.params?.code : undefined;
  const known =
    typeof code === "string" && code in errorCatalog ? (code as ErrorCode) : "ERR_INVALID_VALUE";
  yield fault(known, issue.message, issue.path);
}

function* faultsOfAll(issues: readonly z.core.$ZodIssue[], parsed: Parsed): Generator<Fault> {
  for (const issue of issues) yield* faultsOf(issue, parsed);
}

function firstFaults(faults: Iterable<Fault>): Fault[] {
  const named: Fault[] = [];
  for (const one of faults) if (named.push(one) === FAULTS_MAX) break;
  return named;
}

/** Nothing that is said here nests this deep. */
const DEPTH_MAX = 32;
const FAULTS_MAX = 20;
/** The largest valid body, a bulk change of 10,000 hosts, has far fewer. */
const VALUES_MAX = 50_000;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

function problemOfText(value: string): string | undefined {
  if (value.includes("\0")) return "must not contain the character U+0000";
  return UNPAIRED_SURROGATE.test(value) ? "must be valid Unicode" : undefined;
}

/** What no field can mean and the database could not store, wherever it stands. */
function findUnusable(root: unknown, valuesMax: number): Fault[] {
  const faults: Fault[] = [];
  const path: PropertyKey[] = [];
  let values = 0;
  const report = (message: string) => void faults.push(fault("ERR_INVALID_VALUE", message, path));
  const isDone = () => faults.length >= FAULTS_MAX || values > valuesMax;

  function visit(value: unknown): void {
    values++;
    if (typeof value === "string") {
      const problem = problemOfText(value);
      if (problem) report(problem);
    } else if (typeof value === "object" && value !== null) {
      if (path.length >= DEPTH_MAX) return report("nested too deeply");
      if (Array.isArray(value)) value.every(visitItem);
      else Object.keys(value).every((key) => visitKey(key, value as Record<string, unknown>));
    }
  }
  /** Whether to go on. */
  function visitItem(item: unknown, index: number): boolean {
    path.push(index);
    visit(item);
    path.pop();
    return !isDone();
  }
  function visitKey(key: string, parent: Record<string, unknown>): boolean {
    path.push(key);
    // Objects are built on this name: a schema would lose the key instead of refusing it.
    if (key === "__proto__") report("unknown key");
    else visit(parent[key]);
    path.pop();
    return !isDone();
  }

  visit(root);
  if (values > valuesMax) return [fault("ERR_INVALID_VALUE", `has more than ${valuesMax} values`, [])];
  return faults;
}

export function parse<S extends Schema>(schema: S, value: unknown, valuesMax = Infinity): z.output<S> {
  refuseAll(findUnusable(value, valuesMax));
  let result = schema.safeParse(value);
  if (!result.success && removeAbsentNulls(schema, value, result.error.issues))
    result = schema.safeParse(value);
  if (!result.success) refuseAll(firstFaults(faultsOfAll(result.error.issues, { schema, value })));
  return result.data as z.output<S>;
}

export const parseBody = <S extends Schema>(schema: S, body: Buffer | undefined): z.output<S> =>
  parse(schema, parseJson(body), VALUES_MAX);

const ENCODED_BYTES = /(?:%[0-9a-f]{2})+/gi;

/** The router takes over what it cannot decode as it is written. */
function refuseUndecodable(url: string): void {
  const at = url.indexOf("?");
  for (const part of at === -1 ? [] : url.slice(at + 1).split("&")) {
    const bytes = (part.match(ENCODED_BYTES) ?? []).map((run) => Buffer.from(run.replaceAll("%", ""), "hex"));
    if (bytes.every((run) => isUtf8(run))) continue;
    throw new ApiError("ERR_INVALID_VALUE", {
      path: part.split("=", 1)[0] ?? "",
      message: "must be valid UTF-8",
    });
  }
}

export function parseQuery<S extends Schema>(schema: S, { url, query }: FastifyRequest): z.output<S> {
  refuseUndecodable(url);
  return parse(schema, query);
}

/** Throws on bytes that are not UTF-8, and keeps a byte order mark, which is not JSON. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws ERR_INVALID_JSON unless the bytes are JSON in UTF-8. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new ApiError("ERR_INVALID_JSON");
  }
}

/** No body at all is an empty one. */
const parseJson = (body: Buffer | undefined): unknown => (body?.length ? parseJsonBytes(body) : {});
