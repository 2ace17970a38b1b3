/** The entry point of the worker thread that parses one file and stops. */
import { parentPort, workerData } from "node:worker_threads";
import { ApiError, type Problem } from "../../infrastructure/errors/api-error.ts";
import { type ImportFile, readThings } from "./read-things.ts";

export type ParseResult =
  /** As JSON: it is stored as it is, and reading it is quicker than a structured clone. */
  { things: string } | { faults: Problem[] };

function parseFile(file: ImportFile): ParseResult {
  try {
    return { things: JSON.stringify(readThings(file)) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { faults: error.errors as Problem[] };
  }
}

parentPort?.postMessage(parseFile(workerData as ImportFile));
