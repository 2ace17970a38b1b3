import { escapeText } from "@lightkeeper/contract/characters";
import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import type { Config } from "../config/config.ts";

/** Logs never contain secrets: headers, bodies and query strings are not logged, and the names below are redacted. */
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
  // JSON does not escape all control characters of a terminal.
  return pino(options, { write: (line) => target.write(escapeText(line)) });
}

/** Drops the row data that database errors include. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: name, message, errorCode: code, constraint, stack };
}
