import { expect, it, vi } from "vitest";
import { config } from "../lib/config.ts";
import { transport } from "../testing/transport.ts";
import { reloadOnMissingChunk } from "./missing-chunk.ts";

const failToLoadChunk = () => window.dispatchEvent(new Event("vite:preloadError", { cancelable: true }));

it("reloads an outdated page whose code is gone, but not in a loop", async () => {
  sessionStorage.clear();
  const server = transport();
  server.version = "newer";
  const reload = vi.fn();
  reloadOnMissingChunk(reload);
  failToLoadChunk();
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  failToLoadChunk();
  await new Promise((done) => setTimeout(done, 20));
  expect(reload).toHaveBeenCalledOnce();
});

it("doesn't reload when the version is current or the server is unreachable", async () => {
  sessionStorage.clear();
  const server = transport();
  server.version = config.version;
  const reload = vi.fn();
  reloadOnMissingChunk(reload);
  failToLoadChunk();
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  failToLoadChunk();
  await new Promise((done) => setTimeout(done, 20));
  expect(reload).not.toHaveBeenCalled();
});
