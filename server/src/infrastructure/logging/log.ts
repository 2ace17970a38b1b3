import { escapeText } from "@lightkeeper/contract/characters";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import type { Config } from "../config/config.ts";

/**
 * Structured logs that never hold a secret: headers, bodies and query strings are not logged at all, and
 * the names below are blanked wherever they turn up.
 */
export function createLog({ logLevel }: Pick<Config, "logLevel">, destination?: DestinationStream): Logger {
  const names = ["authorization", "password", "secret", "token", "code", "privateKey", "magicLinkToken"];
  const options: LoggerOptions = {
    level: logLevel,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level) => ({ level }) },
    serializers: { err: describeError },
    redact: { paths: names.flatMap((name) => [name, `*.${name}`]), censor: "[removed]" },
  };
  const target = destination ?? pino.destination(1);
  // JSON leaves some characters as they are that a terminal obeys.
  return pino(options, { write: (line) => target.write(escapeText(line)) });
}

/** A database error carries the rows it is about; only what names the fault is kept. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: name, message, errorCode: code, constraint, stack };
}
