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
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
