/** Turns what a client sent into what a handler gets, or into one entry per fault with its exact path. */
import { errorCatalogue, type ErrorCode, type Schema } from "@lightkeeper/contract";
import * as z from "zod/mini";
import { ApiError, type Fault, refuseAll } from "./api-error.ts";

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

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => fault("ERR_INVALID_VALUE", "unknown key", [...issue.path, key]));
  if ((issue.code === "too_small" || issue.code === "too_big") && issue.origin === "string")
    return [fault("ERR_INVALID_VALUE_LENGTH", issue.message, issue.path)];
  const code: unknown = issue.code === "custom" ? issue.params?.code : undefined;
  const known =
    typeof code === "string" && code in errorCatalogue ? (code as ErrorCode) : "ERR_INVALID_VALUE";
  return [fault(known, issue.message, issue.path)];
}

/** Nothing that is said here nests this deep. */
const DEPTH_MAX = 32;
const FAULTS_MAX = 100;
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/** What no field can mean and the database could not store, wherever it stands. */
function* unusable(value: unknown, path: PropertyKey[] = []): Generator<Fault> {
  if (typeof value === "string") {
    if (value.includes("\0")) yield fault("ERR_INVALID_VALUE", "must not contain the character U+0000", path);
    else if (UNPAIRED_SURROGATE.test(value)) yield fault("ERR_INVALID_VALUE", "must be valid Unicode", path);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (path.length >= DEPTH_MAX) return yield fault("ERR_INVALID_VALUE", "nested too deeply", path);
  for (const [key, item] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    // Objects are built on this name: a schema would lose the key instead of refusing it.
    if (key === "__proto__") yield fault("ERR_INVALID_VALUE", "unknown key", [...path, key]);
    else yield* unusable(item, [...path, key]);
  }
}

function firstFaults(faults: Iterable<Fault>): Fault[] {
  const named: Fault[] = [];
  for (const one of faults) if (named.push(one) === FAULTS_MAX) break;
  return named;
}

export function parse<S extends Schema>(schema: S, value: unknown): z.output<S> {
  refuseAll(firstFaults(unusable(value)));
  const result = schema.safeParse(value);
  if (!result.success) refuseAll(firstFaults(result.error.issues.flatMap(faultsOf)));
  return result.data as z.output<S>;
}

/** No body at all is an empty one. */
export function parseJson(body: Buffer | undefined): unknown {
  if (!body?.length) return {};
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new ApiError("ERR_INVALID_JSON");
  }
}
