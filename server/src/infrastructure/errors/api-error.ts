import { BODY_BYTES_MAX, errorCatalog, type ErrorCode, type ErrorEntry } from "@lightkeeper/contract";

type Details = Pick<ErrorEntry, "path" | "extra"> & { message?: string };

const entryOf = (code: ErrorCode, { path, extra, message }: Details): ErrorEntry => ({
  code,
  message: message ?? errorCatalog[code].message,
  ...(path !== undefined && { path }),
  ...(extra && { extra }),
});

/** The only deliberate failure. Anything else that is thrown is a defect and answered as a bare 500. */
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

export type Fault = { code: ErrorCode } & Details;

/** One refusal with an entry for each fault, if there are any. */
export function refuseAll(faults: readonly Fault[]): void {
  const [first] = faults;
  if (!first) return;
  const error = new ApiError(first.code);
  error.errors.splice(0, 1, ...faults.map(({ code, ...details }) => entryOf(code, details)));
  throw error;
}
