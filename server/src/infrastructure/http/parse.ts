/** Parses requests; every problem is reported with its path. */
import { isUtf8 } from "node:buffer";
import { errorCatalog, type ErrorCode, type Schema } from "@lightkeeper/contract";
import type { FastifyRequest } from "fastify";
import * as z from "zod/mini";
import { removeAbsentNulls } from "./absent-nulls.ts";
import { lengthsOf, schemaAt, valueAt } from "./schema-paths.ts";
import { ApiError, type Problem, requireNoProblems } from "../errors/api-error.ts";

z.config(z.locales.en());

export function formatPath(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined;
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : `${i ? "." : ""}${String(part)}`))
    .join("");
}

const toProblem = (code: ErrorCode, message: string, path: readonly PropertyKey[]): Problem => {
  const formatted = formatPath(path);
  return { code, message, ...(formatted !== undefined && { path: formatted }) };
};

/** Reports a missing string with a required length as ERR_INVALID_VALUE_LENGTH. */
function missingStringProblem(issue: z.core.$ZodIssue, { schema, value }: Parsed): Problem | undefined {
  if (issue.code !== "invalid_type" || valueAt(value, issue.path) !== undefined) return undefined;
  const lengths = lengthsOf(schemaAt(schema, issue.path));
  if (!lengths) return undefined;
  const message = `must have a length between ${lengths.min} and ${lengths.max}`;
  return toProblem("ERR_INVALID_VALUE_LENGTH", message, issue.path);
}

interface Parsed {
  schema: Schema;
  value: unknown;
}

function* toProblems(issue: z.core.$ZodIssue, parsed: Parsed): Generator<Problem> {
  if (issue.code === "unrecognized_keys") {
    for (const key of issue.keys) yield toProblem("ERR_INVALID_VALUE", "unknown key", [...issue.path, key]);
    return;
  }
  if ((issue.code === "too_small" || issue.code === "too_big") && issue.origin === "string")
    return yield toProblem("ERR_INVALID_VALUE_LENGTH", issue.message, issue.path);
  const missing = missingStringProblem(issue, parsed);
  if (missing) return yield missing;
  const code: unknown = issue.code === "custom" ? issue.params?.code : undefined;
  const known = typeof code === "string" && code in errorCatalog ? (code as ErrorCode) : "ERR_INVALID_VALUE";
  yield toProblem(known, issue.message, issue.path);
}

function* allProblems(issues: readonly z.core.$ZodIssue[], parsed: Parsed): Generator<Problem> {
  for (const issue of issues) yield* toProblems(issue, parsed);
}

function takeFirst(problems: Iterable<Problem>): Problem[] {
  const first: Problem[] = [];
  for (const problem of problems) if (first.push(problem) === PROBLEMS_MAX) break;
  return first;
}

/** No valid body nests this deeply. */
const DEPTH_MAX = 32;
const PROBLEMS_MAX = 20;
/** The largest valid body, a bulk change of 10,000 hosts, has far fewer values. */
const VALUES_MAX = 50_000;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

function validateText(value: string): string | undefined {
  if (value.includes("\0")) return "must not contain the character U+0000";
  return UNPAIRED_SURROGATE.test(value) ? "must be valid Unicode" : undefined;
}

/** Finds values that no field accepts and the database cannot store. */
function validateValues(root: unknown, valuesMax: number): Problem[] {
  const problems: Problem[] = [];
  const path: PropertyKey[] = [];
  let values = 0;
  const report = (message: string) => void problems.push(toProblem("ERR_INVALID_VALUE", message, path));
  const isDone = () => problems.length >= PROBLEMS_MAX || values > valuesMax;

  function visit(value: unknown): void {
    values++;
    if (typeof value === "string") {
      const problem = validateText(value);
      if (problem) report(problem);
    } else if (typeof value === "object" && value !== null) {
      if (path.length >= DEPTH_MAX) return report("nested too deeply");
      if (Array.isArray(value)) value.every(visitItem);
      else Object.keys(value).every((key) => visitKey(key, value as Record<string, unknown>));
    }
  }
  /** Returns whether to continue. */
  function visitItem(item: unknown, index: number): boolean {
    path.push(index);
    visit(item);
    path.pop();
    return !isDone();
  }
  function visitKey(key: string, parent: Record<string, unknown>): boolean {
    path.push(key);
    // A schema would silently drop this key instead of rejecting it.
    if (key === "__proto__") report("unknown key");
    else visit(parent[key]);
    path.pop();
    return !isDone();
  }

  visit(root);
  if (values > valuesMax) return [toProblem("ERR_INVALID_VALUE", `has more than ${valuesMax} values`, [])];
  return problems;
}

export function parse<S extends Schema>(schema: S, value: unknown, valuesMax = Infinity): z.output<S> {
  requireNoProblems(validateValues(value, valuesMax));
  let result = schema.safeParse(value);
  if (!result.success && removeAbsentNulls(schema, value, result.error.issues))
    result = schema.safeParse(value);
  if (!result.success) requireNoProblems(takeFirst(allProblems(result.error.issues, { schema, value })));
  return result.data as z.output<S>;
}

export const parseBody = <S extends Schema>(schema: S, body: Buffer | undefined): z.output<S> =>
  parse(schema, parseJson(body), VALUES_MAX);

const ENCODED_BYTES = /(?:%[0-9a-f]{2})+/gi;

/** The router passes on invalid escape sequences undecoded. */
function requireDecodableQuery(url: string): void {
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
  requireDecodableQuery(url);
  return parse(schema, query);
}

/** Throws on invalid UTF-8, and keeps a byte order mark, which is not valid JSON. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws ERR_INVALID_JSON unless the bytes are JSON in UTF-8. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new ApiError("ERR_INVALID_JSON");
  }
}

/** A missing body counts as an empty object. */
const parseJson = (body: Buffer | undefined): unknown => (body?.length ? parseJsonBytes(body) : {});
