/** Entry point of the worker thread: parses one file and exits. */
import { parentPort, workerData } from "node:worker_threads";
import { ApiError, type Problem } from "../../infrastructure/errors/api-error.ts";
import { type ImportFile, readItems } from "./read-items.ts";

export type ParseResult =
  /** JSON, because it is stored as text and parses faster than a structured clone. */
  { items: string } | { problems: Problem[] };

function parseFile(file: ImportFile): ParseResult {
  try {
    return { items: JSON.stringify(readItems(file)) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { problems: error.errors as Problem[] };
  }
}

parentPort?.postMessage(parseFile(workerData as ImportFile));
