/** Parses files in worker threads, so that a large or malicious file does not block the process. */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { createFairQueue } from "../../infrastructure/scheduling/fair-queue.ts";
import { ApiError, requireNoProblems } from "../../infrastructure/errors/api-error.ts";
import { currentWork, SYSTEM } from "../../infrastructure/scheduling/work-class.ts";
import { limitExceededError } from "./document.ts";
import type { ParseResult } from "./import-worker.ts";
import type { ImportFile } from "./read-items.ts";
import { MINUTE_MS } from "../../infrastructure/time/durations.ts";

/** Twice what the largest file within the limits needs. */
const HEAP_MAX_MB = 256;
/** Most allocations of a parser are short-lived: a larger young generation halves the time. */
const YOUNG_HEAP_MAX_MB = 64;
const DEADLINE_MS = 20_000;
const CONCURRENT_MAX = 2;
const WAIT_MS_MAX = MINUTE_MS;
/** Includes files that are being parsed. */
const PENDING_MAX = 20;
const RETRY_AFTER_SECONDS = 10;

export interface ImportParserOptions {
  /** The bundled `import-worker.ts`; the build puts it beside the server. */
  workerFile?: string | undefined;
  deadlineMs?: number | undefined;
  heapMaxMB?: number | undefined;
}

/** Returns the parsed items as JSON. */
export type ImportParser = (file: ImportFile) => Promise<string>;

export function createImportParser({
  workerFile = fileURLToPath(new URL("import-worker.js", import.meta.url)),
  deadlineMs = DEADLINE_MS,
  heapMaxMB = HEAP_MAX_MB,
}: ImportParserOptions = {}): ImportParser {
  const queue = createFairQueue({
    slots: CONCURRENT_MAX,
    share: 1,
    waitingMax: PENDING_MAX,
    waitMs: WAIT_MS_MAX,
    unlimitedClass: SYSTEM,
  });
  let pending = 0;
  return async (file) => {
    if (pending >= PENDING_MAX)
      throw new ApiError("ERR_TOO_MANY_REQUESTS", { retryAfterSeconds: RETRY_AFTER_SECONDS });
    pending++;
    try {
      const result = await queue.run(currentWork().workClass, () =>
        parseInWorker(file, { workerFile, deadlineMs, heapMaxMB }),
      );
      if ("problems" in result) {
        requireNoProblems(result.problems);
        throw new Error("The file was rejected without a problem");
      }
      return result.items;
    } finally {
      pending--;
    }
  };
}

async function parseInWorker(
  file: ImportFile,
  {
    workerFile,
    deadlineMs,
    heapMaxMB,
  }: Required<{ [K in keyof ImportParserOptions]: NonNullable<ImportParserOptions[K]> }>,
): Promise<ParseResult> {
  const worker = new Worker(workerFile, {
    workerData: file,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMB, maxYoungGenerationSizeMb: YOUNG_HEAP_MAX_MB },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ParseResult>((resolve, reject) => {
      const deadlineSeconds = deadlineMs / 1000;
      timer = setTimeout(
        () =>
          reject(
            limitExceededError(
              deadlineSeconds,
              `takes more than ${deadlineSeconds} seconds to read: split the file`,
            ),
          ),
        deadlineMs,
      );
      worker.once("message", resolve);
      worker.once("error", (error: NodeJS.ErrnoException) =>
        reject(
          error.code === "ERR_WORKER_OUT_OF_MEMORY"
            ? limitExceededError(
                heapMaxMB,
                `takes more than ${heapMaxMB} MB of memory to read: split the file`,
              )
            : error,
        ),
      );
      worker.once("exit", (code) => reject(new Error(`The import worker exited with code ${code}`)));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
