/** An expected error, with a message for the person at the terminal. */
export class AgentError extends Error {
  readonly exitCode: number;
  /** Of the failed request, to find the request in the server's log. */
  requestID: string | undefined;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const EXIT_USAGE = 2;
export const EXIT_NOT_ENROLLED = 3;
export const EXIT_NOT_RUNNING = 4;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The message for a log, with the ID of the failed request. */
export function describeFailure(error: unknown): string {
  const requestID = error instanceof AgentError ? error.requestID : undefined;
  return requestID === undefined ? messageOf(error) : `${messageOf(error)} Request ID: ${requestID}`;
}

/** For example "ENOSPC" or "ECONNREFUSED". */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
