import { BODY_BYTES_MAX, errorCatalog, type ErrorCode, type ErrorEntry } from "@lightkeeper/contract";

type Details = Pick<ErrorEntry, "path" | "extra"> & { message?: string };

const entryOf = (code: ErrorCode, { path, extra, message }: Details): ErrorEntry => ({
  code,
  message: message ?? errorCatalog[code].message,
  ...(path !== undefined && { path }),
  ...(extra && { extra }),
});

/** The only expected error. Anything else that is thrown is a bug and becomes a 500 without details. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: ErrorEntry[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, details: Details & { retryAfterSeconds?: number } = {}) {
    super(code);
    this.name = "ApiError";
    this.status = errorCatalog[code].status;
    this.errors = [entryOf(code, details)];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

export function payloadTooLarge(bytesMax = BODY_BYTES_MAX): ApiError {
  const limit = bytesMax === BODY_BYTES_MAX ? "1 MiB" : `${bytesMax / 1024} KiB`;
  return new ApiError("ERR_PAYLOAD_TOO_LARGE", { message: `the body is larger than ${limit}` });
}

export type Problem = { code: ErrorCode } & Details;

/** Throws one error with an entry for each problem. */
export function requireNoProblems(problems: readonly Problem[]): void {
  const [first] = problems;
  if (!first) return;
  const error = new ApiError(first.code);
  error.errors.splice(0, 1, ...problems.map(({ code, ...details }) => entryOf(code, details)));
  throw error;
}
