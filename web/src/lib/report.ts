/** Error reporting: always to the operators, and to Sentry when it is configured. It never throws. */
import { reportClientError, RequestError, type ErrorEntry } from "@lightkeeper/contract";
import { api } from "./api.ts";
import { config } from "./config.ts";

export interface ReportDetails {
  requestID?: string | undefined;
  errors?: readonly ErrorEntry[];
}

const reportedErrors = new WeakSet<Error>();
const reportedTexts = new Set<string>();

/** Remembers the error and returns whether it was reported before. */
function markReported(error: Error, requestID: string | undefined): boolean {
  const text = [error.message, error.stack, requestID].join("\n");
  const isRepeated = reportedErrors.has(error) || reportedTexts.has(text);
  reportedErrors.add(error);
  reportedTexts.add(text);
  return isRepeated;
}

async function sendToSentry(dsn: string, error: Error, details: ReportDetails): Promise<void> {
  const sentry = await import("@sentry/browser");
  if (!sentry.isInitialized()) {
    // Without the default integrations: their breadcrumbs contain URLs, which can hold a magic link's token.
    sentry.init({
      dsn,
      environment: config.environment,
      release: config.version,
      defaultIntegrations: false,
    });
  }
  sentry.captureException(error, { extra: { ...details } });
}

async function sendToOperators(error: Error, { requestID, errors }: ReportDetails): Promise<void> {
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

/** Reports an error once, with the request ID and the entries of a failed call. */
export function reportError(thrown: unknown, details: ReportDetails = {}): void {
  if (isAbort(thrown)) return;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const full: ReportDetails =
    error instanceof RequestError
      ? { requestID: error.requestID, errors: error.errors, ...details }
      : details;
  if (markReported(error, full.requestID)) return;
  if (config.environment !== "production" || !config.sentryDSN) console.error(error, full);
  const sent = [sendToOperators(error, full)];
  if (config.sentryDSN) sent.push(sendToSentry(config.sentryDSN, error, full));
  void Promise.allSettled(sent);
}
