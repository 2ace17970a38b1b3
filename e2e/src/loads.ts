/** What a page costs, as served: every request with what it really was on the wire. */
import type { Page } from "playwright-core";

export interface Load {
  path: string;
  type: string;
  status: number;
  encoding: string;
  bytes: number;
}

/** The event stream never ends, so the network counts as idle when nothing new has come for this long. */
const IDLE_MS = 750;

const KILOBYTE = 1024;

export interface Recorder {
  /** All there have been. */
  all: () => Load[];
  failed: string[];
  /** Waits until nothing comes any more, and says what has come since the last time. */
  takeNew: () => Promise<Load[]>;
}

/** Every request of a page from now on, none of them answered from the browser's cache. */
export async function record(page: Page): Promise<Recorder> {
  const protocol = await page.context().newCDPSession(page);
  const loads = new Map<string, Load>();
  const failed: string[] = [];
  let taken = 0;
  await protocol.send("Network.enable");
  await protocol.send("Network.setCacheDisabled", { cacheDisabled: true });
  protocol.on("Network.responseReceived", ({ requestId, type, response }) => {
    const { pathname } = new URL(response.url);
    const encoding = response.headers["content-encoding"] ?? "";
    loads.set(requestId, { path: pathname, type, status: response.status, encoding, bytes: 0 });
  });
  protocol.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const load = loads.get(requestId);
    if (load) load.bytes = encodedDataLength;
  });
  // What the page itself has given up, a call overtaken by the next, has not failed.
  protocol.on("Network.loadingFailed", ({ requestId, errorText, canceled }) => {
    if (!canceled) failed.push(`${loads.get(requestId)?.path ?? requestId}: ${errorText}`);
  });
  async function idle(): Promise<void> {
    for (let seen = -1; seen !== loads.size;) {
      seen = loads.size;
      await page.waitForTimeout(IDLE_MS);
    }
  }
  return {
    all: () => [...loads.values()],
    failed,
    takeNew: async () => {
      await idle();
      const come = [...loads.values()].slice(taken);
      taken = loads.size;
      return come;
    },
  };
}

export const scriptsOf = (loads: readonly Load[]): Load[] =>
  loads.filter(({ type, path }) => type === "Script" || path.endsWith(".js"));

export const kilobytesOf = (loads: readonly Load[]): number =>
  loads.reduce((sum, { bytes }) => sum + bytes, 0) / KILOBYTE;

/** A line for each, for whoever wants to know where a budget went. */
export const inLines = (loads: readonly Load[]): string[] =>
  loads.map(({ path, bytes }) => `${(bytes / KILOBYTE).toFixed(1).padStart(7)} KB ${path}`);
