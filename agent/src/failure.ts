/** Something that went wrong in a way we can put into a sentence for the person at the terminal. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(sentence: string, exitCode = 1) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

export const EXIT_USAGE = 2;
export const EXIT_NOT_ENROLLED = 3;
export const EXIT_NOT_RUNNING = 4;

/** The sentence of an error, whatever was thrown. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the system calls the fault: "ENOSPC", "ECONNREFUSED". */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
