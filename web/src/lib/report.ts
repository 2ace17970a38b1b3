/** Error reporting: to the operators always, to Sentry when it is configured. It never throws. */
import { reportClientError, RequestError, type ErrorEntry } from "@lightkeeper/contract";
import { api } from "./api.ts";
import { config } from "./config.ts";

export interface ReportDetails {
  requestID?: string | undefined;
  errors?: readonly ErrorEntry[];
}

const reportedErrors = new WeakSet<Error>();
const reportedTexts = new Set<string>();

function seenBefore(error: Error, requestID: string | undefined): boolean {
  const text = [error.message, error.stack, requestID].join("\n");
  const seen = reportedErrors.has(error) || reportedTexts.has(text);
  reportedErrors.add(error);
  reportedTexts.add(text);
  return seen;
}

async function toSentry(dsn: string, error: Error, details: ReportDetails): Promise<void> {
  const sentry = await import("@sentry/browser");
  if (!sentry.isInitialized()) {
    // Only what is reported here: no trail of addresses, which can hold a magic link's token.
    sentry.init({
      dsn,
      environment: config.environment,
      release: config.version,
      defaultIntegrations: false,
    });
  }
  sentry.captureException(error, { extra: { ...details } });
}

async function toOperators(error: Error, { requestID, errors }: ReportDetails): Promise<void> {
  await api(reportClientError, {
    body: {
      message: error.message.slice(0, 2000),
      stack: error.stack?.slice(0, 8000),
      path: location.pathname.slice(0, 500),
      version: config.version.slice(0, 100),
      requestID: requestID?.slice(0, 100),
      errors: errors?.slice(0, 20).map(({ code, path }) => ({ code: code.slice(0, 100), path })),
    },
  });
}

const isAbort = (error: unknown) => error instanceof DOMException && error.name === "AbortError";

/** Tells the team of an error, once. What a failed call carries (request id, entries) goes along. */
export function reportError(thrown: unknown, details: ReportDetails = {}): void {
  if (isAbort(thrown)) return;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const full: ReportDetails =
    error instanceof RequestError
      ? { requestID: error.requestID, errors: error.errors, ...details }
      : details;
  if (seenBefore(error, full.requestID)) return;
  if (config.environment !== "production" || !config.sentryDSN) console.error(error, full);
  const sent = [toOperators(error, full)];
  if (config.sentryDSN) sent.push(toSentry(config.sentryDSN, error, full));
  void Promise.allSettled(sent);
}
