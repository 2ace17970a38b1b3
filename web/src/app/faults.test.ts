import { beforeEach, expect, it, vi } from "vitest";
import { transport } from "../testing/transport.ts";
import { reloadOnMissingChunk, reportUncaughtErrors } from "./faults.ts";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

it("reports errors and rejections nobody caught", async () => {
  const server = transport();
  reportUncaughtErrors();
  window.dispatchEvent(new ErrorEvent("error", { error: new Error("uncaught") }));
  const rejection = Object.assign(new Event("unhandledrejection"), { reason: new Error("rejected") });
  window.dispatchEvent(rejection);
  await vi.waitFor(() =>
    expect(server.reports.map(({ message }) => message)).toEqual(["uncaught", "rejected"]),
  );
});

it("loads the page anew when its code is gone, but not in a loop", () => {
  sessionStorage.clear();
  const reload = vi.fn();
  reloadOnMissingChunk(reload);
  const missing = () => new Event("vite:preloadError", { cancelable: true });
  const first = missing();
  window.dispatchEvent(first);
  expect(first.defaultPrevented).toBe(true);
  const second = missing();
  window.dispatchEvent(second);
  expect(second.defaultPrevented).toBe(false);
  expect(reload).toHaveBeenCalledOnce();
});
