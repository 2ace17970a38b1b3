/** What nobody catches. */
import { reportError } from "../lib/report.ts";

export function reportUncaughtErrors(): void {
  window.addEventListener("error", ({ error, message }) => reportError(error ?? message));
  window.addEventListener("unhandledrejection", ({ reason }) => reportError(reason));
}

const RELOADED_AT = "reloadedForMissingChunkAt";
const RELOAD_PAUSE_MS = 10_000;

/** After a deployment the old page asks for code that is gone: loading it anew mends that, once. */
export function reloadOnMissingChunk(reload: () => void = () => window.location.reload()): void {
  window.addEventListener("vite:preloadError", (event) => {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_PAUSE_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    event.preventDefault();
    reload();
  });
}
