/** The errors that the client throws. All but MissingEntityError have the response. */
import type { ErrorBody, ErrorEntry } from "./errors.ts";
import { REQUEST_ID_HEADER } from "./request-id.ts";

export class RequestError extends Error {
  readonly response: Response;
  /** Of the response, or of the request if the response has none, such as the error of a proxy. */
  requestID: string | undefined;
  readonly errors: readonly ErrorEntry[];

  constructor(message: string, response: Response, errors: readonly ErrorEntry[] = []) {
    super(message);
    this.name = new.target.name;
    this.response = response;
    this.requestID = response.headers.get(REQUEST_ID_HEADER) ?? undefined;
    this.errors = errors;
  }
}

export interface FieldError extends ErrorEntry {
  /** Whether a caller has replaced the server's message. */
  reworded?: boolean;
}

const details = (errors: readonly ErrorEntry[]) =>
  errors.map(({ path, code, message }) => `${path ? `${path}: ` : ""}${message} (${code})`).join("; ");

export class ValidationError extends RequestError {
  readonly fieldErrors: FieldError[];
  reported = false;

  constructor(response: Response, errors: readonly ErrorEntry[]) {
    const paths = errors.flatMap(({ path }) => (path ? [path] : []));
    super(`Form validation error on field(s): ${paths.join(", ")} ${details(errors)}`, response, errors);
    this.fieldErrors = errors.map((entry) => ({ ...entry }));
  }
}

export const authErrorCodes = ["ERR_UNAUTHORIZED", "ERR_2FA_REQUIRED", "ERR_2FA_RENEWAL_REQUIRED"] as const;
export type AuthErrorCode = (typeof authErrorCodes)[number];

export class AuthError extends RequestError {
  readonly code: AuthErrorCode;

  constructor(response: Response, errors: readonly ErrorEntry[], code: AuthErrorCode) {
    super("Not logged in", response, errors);
    this.code = code;
  }
}

export class UnauthorizedError extends RequestError {}
export class ForbiddenError extends RequestError {}
export class NotFoundError extends RequestError {}
export class TimeoutError extends RequestError {}
export class ServerError extends RequestError {}

/** A successful response with an invalid body: empty, incomplete or not JSON. */
export class InvalidResponseError extends RequestError {
  constructor(response: Response, requestID?: string) {
    super("The server sent an invalid response. Try again in a moment.", response);
    this.requestID ??= requestID;
  }
}

export class MissingEntityError extends Error {
  constructor(entityID: string) {
    super(`Could not find ${entityID}`);
    this.name = "MissingEntityError";
  }
}

async function readErrors(response: Response): Promise<ErrorEntry[] | undefined> {
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorBody> | undefined;
  return Array.isArray(body?.errors) ? body.errors : undefined;
}

function unauthorized(response: Response, errors: ErrorEntry[]): RequestError {
  for (const code of authErrorCodes) {
    if (errors.some((entry) => entry.code === code)) return new AuthError(response, errors, code);
  }
  return new UnauthorizedError("Unauthorized", response, errors);
}

export async function toRequestError(response: Response, requestID?: string): Promise<RequestError> {
  const error = describeResponse(response, await readErrors(response));
  error.requestID ??= requestID;
  return error;
}

function describeResponse(response: Response, parsed: ErrorEntry[] | undefined): RequestError {
  const errors = parsed ?? [];
  switch (response.status) {
    case 400:
    case 429:
      if (!parsed) break;
      if (parsed.length === 0) return new RequestError("No errors in validation error", response);
      return new ValidationError(response, parsed);
    case 401:
      return unauthorized(response, errors);
    case 403:
      return new ForbiddenError("Forbidden", response, errors);
    case 404:
      return new NotFoundError("Not Found", response, errors);
    case 408:
      return new TimeoutError(`Server timeout: ${details(errors)}`, response, errors);
    case 500:
      return new ServerError("Internal server error", response, errors);
  }
  const message = errors[0]?.message;
  return new RequestError(
    message ? `Request failed: ${message}` : `Request failed with status ${response.status}`,
    response,
    errors,
  );
}
