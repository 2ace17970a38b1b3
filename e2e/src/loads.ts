/** Records the requests of a page with their sizes on the wire. */
import type { Page } from "playwright-core";

export interface Load {
  path: string;
  type: string;
  status: number;
  encoding: string;
  bytes: number;
}

/** The event stream never ends, so the network counts as idle after this time without a new request. */
const IDLE_MS = 750;

const KILOBYTE = 1024;

export interface Recorder {
  /** All requests so far. */
  all: () => Load[];
  failed: string[];
  /** Waits until the network is idle. */
  waitUntilIdle: () => Promise<void>;
  /** The requests since the last call. */
  takeNew: () => Load[];
}

/** Records every request from now on. A file from the browser's cache has the size of its first load. */
export async function record(page: Page): Promise<Recorder> {
  const protocol = await page.context().newCDPSession(page);
  const loads = new Map<string, Load>();
  const sizes = new Map<string, number>();
  const failed: string[] = [];
  let taken = 0;
  await protocol.send("Network.enable");
  protocol.on("Network.responseReceived", ({ requestId, type, response }) => {
    const { pathname } = new URL(response.url);
    const encoding = response.headers["content-encoding"] ?? "";
    loads.set(requestId, { path: pathname, type, status: response.status, encoding, bytes: 0 });
  });
  protocol.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const load = loads.get(requestId);
    if (!load) return;
    load.bytes = Math.max(encodedDataLength, sizes.get(load.path) ?? 0);
    sizes.set(load.path, load.bytes);
  });
  // Requests that the page has canceled don't count as failed.
  protocol.on("Network.loadingFailed", ({ requestId, errorText, canceled }) => {
    if (!canceled) failed.push(`${loads.get(requestId)?.path ?? requestId}: ${errorText}`);
  });
  async function waitUntilIdle(): Promise<void> {
    for (let count = -1; count !== loads.size;) {
      count = loads.size;
      await page.waitForTimeout(IDLE_MS);
    }
  }
  return {
    all: () => [...loads.values()],
    failed,
    waitUntilIdle,
    takeNew: () => {
      const newLoads = [...loads.values()].slice(taken);
      taken = loads.size;
      return newLoads;
    },
  };
}

export const scriptsOf = (loads: readonly Load[]): Load[] =>
  loads.filter(({ type, path }) => type === "Script" || path.endsWith(".js"));

export const kilobytesOf = (loads: readonly Load[]): number =>
  loads.reduce((sum, { bytes }) => sum + bytes, 0) / KILOBYTE;

/** One line per request, to show what uses a budget. */
export const formatLoads = (loads: readonly Load[]): string[] =>
  loads.map(({ path, bytes }) => `${(bytes / KILOBYTE).toFixed(1).padStart(7)} KB ${path}`);
