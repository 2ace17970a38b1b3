import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { startBrowser } from "./render.tsx";
import { endTransport } from "./transport.ts";

// Popups and pages load on demand, which can take longer than the default second on a busy machine.
configure({ asyncUtilTimeout: 20_000 });

beforeEach(startBrowser);
afterEach(endTransport);
afterEach(cleanup);

// jsdom has no layout, but Ariakit needs visibility and scrolling to move the focus.
Element.prototype.checkVisibility = function checkVisibility(this: Element) {
  return this.isConnected && this.closest("[hidden]") === null;
};
Element.prototype.scrollIntoView = () => undefined;
// jsdom has no CSS object. Ariakit escapes the IDs of elements with it.
globalThis.CSS ??= {
  escape: (id: string) => id.replace(/[^\w-]/g, "\\$&"),
  supports: () => false,
} as unknown as typeof CSS;
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

// The real ones, which tests with a fake clock don't replace.
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);

/** With BUSY set, blocks the event loop at random, as a busy machine does: this reveals tests that depend on timing. */
function blockAtRandom(): void {
  const end = now() + (Math.random() < 0.2 ? Math.random() * 120 : 0);
  while (now() < end);
  setTimeout(blockAtRandom, Math.random() * 4);
}

const shared = globalThis as { isBlocking?: boolean };
if (process.env.BUSY && !shared.isBlocking) {
  shared.isBlocking = true;
  blockAtRandom();
}
