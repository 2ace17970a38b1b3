import { beforeEach, expect, it, vi } from "vitest";
import { config } from "../lib/config.ts";
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

const losePart = () => window.dispatchEvent(new Event("vite:preloadError", { cancelable: true }));

it("loads the page anew when its code is gone with its version, but not in a loop", async () => {
  sessionStorage.clear();
  const server = transport();
  server.version = "newer";
  const reload = vi.fn();
  reloadOnMissingChunk(reload);
  losePart();
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  losePart();
  await new Promise((done) => setTimeout(done, 20));
  expect(reload).toHaveBeenCalledOnce();
});

it("stays when the version is the same or the server does not answer", async () => {
  sessionStorage.clear();
  const server = transport();
  server.version = config.version;
  const reload = vi.fn();
  reloadOnMissingChunk(reload);
  losePart();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  losePart();
  await new Promise((done) => setTimeout(done, 20));
  expect(reload).not.toHaveBeenCalled();
});
