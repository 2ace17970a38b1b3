import { isMissing } from "../lib/missing.ts";
import { reportError } from "../lib/report.ts";

export function reportUncaughtErrors(): void {
  window.addEventListener("error", ({ error, message }) => reportError(error ?? message));
  window.addEventListener("unhandledrejection", ({ reason }) => reportError(reason));
}

/**
 * Reports the reason why React rendered the page a second time. An object that is missing is no reason to report: the
 * page of a deleted object can render once more while the person leaves it.
 */
export function reportRecoverableError(error: unknown): void {
  const reason = error instanceof Error && error.cause ? error.cause : error;
  if (!isMissing(reason)) window.reportError(reason);
}
