import { reportError } from "../lib/report.ts";

export function reportUncaughtErrors(): void {
  window.addEventListener("error", ({ error, message }) => reportError(error ?? message));
  window.addEventListener("unhandledrejection", ({ reason }) => reportError(reason));
}
