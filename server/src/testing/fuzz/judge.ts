/** What every answer has to be, whatever was asked. */
import {
  codesOf,
  type Endpoint,
  errorCatalog,
  type ErrorCode,
  type ErrorEntry,
} from "@lightkeeper/contract";
import type { RawRequest } from "./request.ts";
import type { RawResponse } from "./send.ts";

const SHOWN = 1500;
const shown = (text: string) => (text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length})` : text);

export function describeExchange({ method, path, headers, body }: RawRequest, answer: RawResponse): string {
  return [
    `${method} ${shown(path)}`,
    `content-type: ${JSON.stringify(headers["content-type"])}`,
    shown(body ? JSON.stringify(body.toString("latin1")) : "no body"),
    `→ ${answer.status} ${shown(answer.text)}`,
  ].join("\n");
}

const isCode = (code: string): code is ErrorCode => code in errorCatalog;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOfRefusal(endpoint: Endpoint, request: RawRequest, { status, text }: RawResponse) {
  const { errors = [] } = (parsed(text) ?? {}) as { errors?: Partial<ErrorEntry>[] };
  if (!Array.isArray(errors) || errors.length === 0) return "A refusal without an entry";
  const declared: string[] = codesOf(endpoint);
  for (const { code, message } of errors) {
    if (!code || !isCode(code) || !message) return "A refusal without a code or a message";
    if (errorCatalog[code].status !== status) return `${code} with the status ${status}`;
    if (request.reachesEndpoint && !declared.includes(code)) return `${code}, which it does not declare`;
  }
  return undefined;
}

/** What is wrong with the answer, if anything is. */
export function faultOf(endpoint: Endpoint, request: RawRequest, answer: RawResponse): string | undefined {
  const { status, headers, text } = answer;
  if (!headers["x-request-id"]) return "An answer without X-Request-ID";
  if (status >= 400 && status < 500) return faultOfRefusal(endpoint, request, answer);
  if (status !== 200) return `The status ${status}`;
  if (text === "" && endpoint.response.kind === "raw") return undefined;
  const { data, metadata } = (parsed(text) ?? {}) as { data?: unknown; metadata?: unknown };
  return data === undefined || metadata === undefined ? "A success without data or metadata" : undefined;
}
