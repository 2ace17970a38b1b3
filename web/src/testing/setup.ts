import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// Popups and pages are loaded when they are needed, which takes longer than a second on a busy machine.
configure({ asyncUtilTimeout: 10_000 });
vi.setConfig({ testTimeout: 30_000 });

afterEach(cleanup);

// jsdom lays nothing out: it can neither say what is visible nor scroll to it. Ariakit asks for both to move the focus.
Element.prototype.checkVisibility = function checkVisibility(this: Element) {
  return this.isConnected && this.closest("[hidden]") === null;
};
Element.prototype.scrollIntoView = () => undefined;
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
