import { listNetworksV2, streamEvents, whoami, type Change } from "@lightkeeper/contract";
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { signIn } from "../testing/render.tsx";
import { network, user } from "../testing/samples.ts";
import { failure, page, transport, type Transport } from "../testing/transport.ts";
import { useCurrentUser } from "./current-user.ts";
import { backoffMs, BATCH_MS, followEvents, SILENCE_LIMIT_MS } from "./events.ts";
import { queryClient, useRead } from "./query.ts";
import { authState, removeAllTokens } from "./tokens.ts";

/** A stream the test writes to; it ends with an error when its reader is aborted, as a real one does. */
function openStream(signal: AbortSignal | undefined) {
  const encoder = new TextEncoder();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
  signal?.addEventListener("abort", () => controller.error(new DOMException("Aborted", "AbortError")));
  return {
    response: new Response(body),
    change: (change: Change) =>
      controller.enqueue(encoder.encode(`event: change\ndata: ${JSON.stringify(change)}\n\n`)),
    comment: () => controller.enqueue(encoder.encode(": alive\n\n")),
    end: () => controller.close(),
  };
}

let server: Transport;
let streams: ReturnType<typeof openStream>[];
let stop: () => void;
const lists = () => server.calls(listNetworksV2).length;
const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

beforeEach(() => {
  vi.useFakeTimers();
  signIn();
  streams = [];
  server = transport()
    .on(listNetworksV2, () => page([network]))
    .on(whoami, () => user)
    .on(streamEvents, ({ signal }) => {
      const stream = openStream(signal);
      streams.push(stream);
      return stream.response;
    });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  renderHook(() => [useRead(listNetworksV2), useCurrentUser()], { wrapper });
  stop = followEvents();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

it("reads the stream with the session's tokens", async () => {
  await advance(0);
  expect(server.calls(streamEvents)[0]?.authorization).toBe("Bearer user-token auth-token");
});

it("refetches the noun that changed, once for a burst of changes", async () => {
  await advance(0);
  expect(lists()).toBe(1);
  for (let change = 0; change < 20; change++) streams[0]?.change({ noun: "networks" });
  await advance(BATCH_MS);
  expect(lists()).toBe(2);
  expect(server.calls(whoami)).toHaveLength(1);
});

it("doesn't refetch other nouns", async () => {
  await advance(0);
  streams[0]?.change({ noun: "hosts", id: "host-1" });
  await advance(BATCH_MS);
  expect(lists()).toBe(1);
});

it("connects again when the stream ends, and refetches everything shown", async () => {
  await advance(0);
  streams[0]?.end();
  await advance(1000);
  expect(streams).toHaveLength(2);
  expect(lists()).toBe(2);
});

it("reconnects a silent stream; comments keep it alive", async () => {
  await advance(0);
  await advance(SILENCE_LIMIT_MS - 1000);
  streams[0]?.comment();
  await advance(SILENCE_LIMIT_MS - 1000);
  expect(streams).toHaveLength(1);
  await advance(3000);
  expect(streams).toHaveLength(2);
});

it("waits longer after each failure, at most 30 seconds, and at a different time in each tab", () => {
  expect([0, 1, 2, 3].map((failures) => backoffMs(failures, 1))).toEqual([1000, 2000, 4000, 8000]);
  expect(backoffMs(20, 1)).toBe(30_000);
  expect(backoffMs(0, 0)).toBe(500);
});

it("ends the session when the stream requires a second factor", async () => {
  await advance(0);
  server.on(streamEvents, () => {
    throw failure("ERR_2FA_REQUIRED");
  });
  streams[0]?.end();
  await advance(1000);
  expect(authState()).toBe("mfaRequired");
  const asked = server.calls(streamEvents).length;
  await advance(120_000);
  expect(server.calls(streamEvents)).toHaveLength(asked);
});

it("does not connect again once signed out", async () => {
  await advance(0);
  removeAllTokens();
  streams[0]?.end();
  await advance(120_000);
  expect(streams).toHaveLength(1);
});

it("closes the stream when stopped", async () => {
  await advance(0);
  stop();
  await advance(120_000);
  expect(server.calls(streamEvents)[0]?.signal?.aborted).toBe(true);
  expect(streams).toHaveLength(1);
});

it("receives changes from the tab that has the stream", async () => {
  await advance(0);
  const leader = new BroadcastChannel("lightkeeper-events");
  vi.useRealTimers();
  leader.postMessage({ noun: "networks" });
  await vi.waitFor(() => expect(lists()).toBe(2));
  leader.close();
});

it("opens the stream only while it has the lock, and forwards changes to the other tabs", async () => {
  stop();
  streams = [];
  let grant = (): void => undefined;
  const request = vi.fn((_: string, __: LockOptions, held: () => Promise<void>) => {
    return new Promise<void>((resolve) => (grant = resolve)).then(held);
  });
  vi.stubGlobal("navigator", Object.assign(Object.create(navigator), { locks: { request } }));
  const before = server.calls(streamEvents).length;
  stop = followEvents();
  await advance(1000);
  expect(server.calls(streamEvents)).toHaveLength(before);
  grant();
  await advance(0);
  expect(server.calls(streamEvents)).toHaveLength(before + 1);
  const follower = new BroadcastChannel("lightkeeper-events");
  const message = new Promise((resolve) => follower.addEventListener("message", ({ data }) => resolve(data)));
  streams[0]?.change({ noun: "networks", id: network.id });
  vi.useRealTimers();
  expect(await message).toEqual({ noun: "networks" });
  follower.close();
});
