/** What nobody catches. */
import { config } from "../lib/config.ts";
import { reportError } from "../lib/report.ts";
import { fetchVersion } from "../lib/version.ts";

export function reportUncaughtErrors(): void {
  window.addEventListener("error", ({ error, message }) => reportError(error ?? message));
  window.addEventListener("unhandledrejection", ({ reason }) => reportError(reason));
}

const RELOADED_AT = "reloadedForMissingChunkAt";
const RELOAD_PAUSE_MS = 10_000;

/** The message differs by browser: Chromium, Firefox, Safari. */
export const isMissingChunk = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module script/i.test(error.message);

const hasJustReloaded = () => Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_PAUSE_MS;

/** Reloads the page, but not again and again. */
export function reloadOnce(reload: () => void): void {
  if (hasJustReloaded()) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  reload();
}

async function reloadIfOutdated(reload: () => void): Promise<void> {
  if (hasJustReloaded()) return;
  // Without an answer a reload would only lose the page that is there.
  const served = await fetchVersion().catch(() => config.version);
  if (served === config.version) return;
  reloadOnce(reload);
}

/** After a deployment the old page asks for code that is gone: loading it anew mends that, once. */
export function reloadOnMissingChunk(reload: () => void = () => window.location.reload()): void {
  window.addEventListener("vite:preloadError", () => void reloadIfOutdated(reload));
}
