/** An expected error, with a message for the person at the terminal. */
export class AgentError extends Error {
  readonly exitCode: number;

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

/** For example "ENOSPC" or "ECONNREFUSED". */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
