/** Waits until a page has received what it requested. */
import { streamEvents } from "@lightkeeper/contract";
import type { Page, Request } from "playwright-core";
import { until } from "./until.ts";

/** Longer than the page needs to render a response and to request what it shows next. */
const QUIET_MS = 150;

/** Follows the requests of a page from now on, except the event stream, which never ends. */
export function trackRequests(page: Page): { waitUntilQuiet: () => Promise<void> } {
  const pending = new Set<Request>();
  let changedAt = performance.now();
  const update = (change: () => void) => {
    change();
    changedAt = performance.now();
  };
  page.on("request", (request) => {
    if (new URL(request.url()).pathname !== streamEvents.path) update(() => pending.add(request));
  });
  const remove = (request: Request) => update(() => pending.delete(request));
  page.on("requestfinished", remove);
  page.on("requestfailed", remove);
  return {
    waitUntilQuiet: async () => {
      await until(
        `${page.url()} has all responses`,
        () => pending.size === 0 && performance.now() - changedAt > QUIET_MS,
        { everyMs: 30 },
      );
    },
  };
}
