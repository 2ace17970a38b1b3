/** After a deployment, an old page may request code that no longer exists. */
import { config } from "../lib/config.ts";
import { fetchVersion } from "../lib/version.ts";

const RELOADED_AT = "reloadedForMissingChunkAt";
const RELOAD_PAUSE_MS = 10_000;

/** The messages of Chromium and Firefox, of Safari, and of Vite if the styles of a module can't be loaded. */
const MISSING_CHUNK = /dynamically imported module|importing a module script|^Unable to preload CSS for /i;

export const isMissingChunk = (error: unknown): error is Error =>
  error instanceof Error && MISSING_CHUNK.test(error.message);

const hasJustReloaded = () => Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < RELOAD_PAUSE_MS;

/** Reloads the page, but not in a loop. */
export function reloadOnce(reload: () => void): void {
  if (hasJustReloaded()) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  reload();
}

async function reloadIfOutdated(reload: () => void): Promise<void> {
  if (hasJustReloaded()) return;
  // If the server is unreachable, a reload would only lose the page.
  const served = await fetchVersion().catch(() => config.version);
  if (served === config.version) return;
  reloadOnce(reload);
}

/** Reloads the page once if its version is outdated. */
export function reloadOnMissingChunk(reload: () => void = () => window.location.reload()): void {
  window.addEventListener("vite:preloadError", () => void reloadIfOutdated(reload));
}
