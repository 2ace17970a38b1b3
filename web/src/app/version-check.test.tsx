import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../lib/query.ts";
import { renderRoutes } from "../testing/render.tsx";
import { transport, type Transport } from "../testing/transport.ts";
import { VERSION_POLL_MS, VERSION_STALE_MS, VersionCheck } from "./version-check.tsx";

let server: Transport;
let asked: ReturnType<typeof vi.fn<typeof fetch>>;
const reload = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  reload.mockReset();
  server = transport();
  asked = vi.fn(server.fetch);
  vi.stubGlobal("fetch", asked);
});
afterEach(() => vi.useRealTimers());

const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function show() {
  const { router } = renderRoutes([{ path: "*", element: <VersionCheck reload={reload} /> }]);
  await advance(0);
  return router;
}

/** The poll, and the time its answer takes. */
const poll = () => advance(VERSION_POLL_MS + 10);
const announced = () => screen.queryByText(/A new version of Lightkeeper is available/);

it("requests the version from its own origin every 10 minutes, without credentials [S1.6] [S4.16] [S7.22] [S9.5]", async () => {
  await show();
  expect(asked).toHaveBeenCalledTimes(1);
  expect(asked.mock.calls[0]).toEqual(["/v", expect.objectContaining({ credentials: "omit" })]);
  await advance(VERSION_POLL_MS - 1);
  expect(asked).toHaveBeenCalledTimes(1);
  await advance(1);
  expect(asked).toHaveBeenCalledTimes(2);
  expect([VERSION_POLL_MS, VERSION_STALE_MS]).toEqual([600_000, 300_000]);
});

it("treats the version as stale after 5 minutes, not before [S9.5]", async () => {
  await show();
  await advance(VERSION_STALE_MS - 1);
  expect(
    queryClient
      .getQueryCache()
      .find({ queryKey: ["version"] })
      ?.isStale(),
  ).toBe(false);
  await advance(2);
  expect(
    queryClient
      .getQueryCache()
      .find({ queryKey: ["version"] })
      ?.isStale(),
  ).toBe(true);
});

it("doesn't affect navigation while the version is the same [S4.16]", async () => {
  const router = await show();
  await poll();
  await act(() => router.navigate("/settings/networks"));
  expect(announced()).toBeNull();
  expect(reload).not.toHaveBeenCalled();
});

it("announces a changed version and makes the next navigation a full page load [S1.6] [S4.16]", async () => {
  const router = await show();
  server.version = "1.1.0";
  await poll();
  expect(announced()).toBeTruthy();
  expect(reload).not.toHaveBeenCalled();
  await act(() => router.navigate("/settings/networks"));
  expect(reload).toHaveBeenCalledOnce();
});

it("loads the new version when only the query changes", async () => {
  const router = await show();
  server.version = "1.1.0";
  await poll();
  await act(() => router.navigate("/?cursor=b"));
  expect(reload).toHaveBeenCalledOnce();
});

it("announces a version that was deployed before the first poll [S1.6]", async () => {
  server.version = "1.1.0";
  await show();
  expect(announced()).toBeTruthy();
});

it("announces nothing and reloads nothing after cached data was cleared, as logging out does [S1.6] [S4.16]", async () => {
  const router = await show();
  act(() => queryClient.clear());
  await poll();
  await act(() => router.navigate("/auth/login"));
  expect(announced()).toBeNull();
  expect(reload).not.toHaveBeenCalled();
});

it("keeps the page when the server is unreachable", async () => {
  const router = await show();
  server.version = "1.1.0";
  await poll();
  asked.mockRejectedValue(new TypeError("Failed to fetch"));
  await act(() => router.navigate("/settings/networks"));
  expect(reload).not.toHaveBeenCalled();
});

it("reloads immediately on request", async () => {
  await show();
  server.version = "1.1.0";
  await poll();
  act(() => screen.getByRole("button", { name: "Reload" }).click());
  expect(reload).toHaveBeenCalledOnce();
});

it("shows nothing when the version can't be loaded", async () => {
  await show();
  asked.mockImplementation(async () => new Response("gone", { status: 503 }));
  await poll();
  expect(announced()).toBeNull();
  asked.mockImplementation(async (input, init) => {
    if (input === "/v") throw new TypeError("Failed to fetch");
    return server.fetch(input, init);
  });
  await poll();
  expect(announced()).toBeNull();
  expect(server.reports).toEqual([]);
});
