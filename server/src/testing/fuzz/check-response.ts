/** Checks that hold for every response. */
import { codesOf, type Endpoint, errorCatalog, type ErrorCode, type ErrorEntry } from "@lightkeeper/contract";
import type { RawRequest, RawResponse } from "./raw-sender.ts";

const SHOWN_LENGTH_MAX = 1500;
const truncate = (text: string) =>
  text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}… (${text.length})` : text;

export function describeExchange({ method, path, headers, body }: RawRequest, response: RawResponse): string {
  return [
    `${method} ${truncate(path)}`,
    `content-type: ${JSON.stringify(headers["content-type"])}`,
    truncate(body ? JSON.stringify(body.toString("latin1")) : "no body"),
    `→ ${response.status} ${truncate(response.text)}`,
  ].join("\n");
}

const isCode = (code: string): code is ErrorCode => code in errorCatalog;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function findErrorProblem(endpoint: Endpoint, request: RawRequest, { status, text }: RawResponse) {
  const { errors = [] } = (parseJson(text) ?? {}) as { errors?: Partial<ErrorEntry>[] };
  if (!Array.isArray(errors) || errors.length === 0) return "An error response without entries";
  const declared: string[] = codesOf(endpoint);
  for (const { code, message } of errors) {
    if (!code || !isCode(code) || !message) return "An error entry without a code or a message";
    if (errorCatalog[code].status !== status) return `${code} with the status ${status}`;
    if (request.reachesEndpoint && !declared.includes(code))
      return `${code}, which the endpoint does not declare`;
  }
  return undefined;
}

/** Returns what is wrong with the response. */
export function findProblem(
  endpoint: Endpoint,
  request: RawRequest,
  response: RawResponse,
): string | undefined {
  const { status, headers, text } = response;
  if (!headers["x-request-id"]) return "A response without X-Request-ID";
  if (status >= 400 && status < 500) return findErrorProblem(endpoint, request, response);
  if (status !== 200) return `The status ${status}`;
  if (text === "" && endpoint.response.kind === "raw") return undefined;
  const { data, metadata } = (parseJson(text) ?? {}) as { data?: unknown; metadata?: unknown };
  return data === undefined || metadata === undefined ? "A success without data or metadata" : undefined;
}
