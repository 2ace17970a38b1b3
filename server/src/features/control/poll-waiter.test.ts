import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AgentCall } from "../agents/control-plane.ts";
import { HELD_MS_MAX, PollWaiter } from "./poll-waiter.ts";

const POLL_MS = 50_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startPoll() {
  const replies: unknown[] = [];
  const connection = { closed: false, once: () => connection, off: () => connection } as never;
  const waiter = new PollWaiter(
    { call: {} as AgentCall, request: {}, connection },
    { send: (reply) => replies.push(reply), fail: () => {}, onClose: () => {} },
  );
  waiter.endAfter(POLL_MS);
  return { waiter, replies };
}

it("a poll ends on time", () => {
  const { waiter, replies } = startPoll();
  vi.advanceTimersByTime(POLL_MS - 1);
  expect(replies).toEqual([]);
  vi.advanceTimersByTime(1);
  expect([replies.length, waiter.isOpen]).toEqual([1, false]);
});

it("a poll that is about to be checked ends after the check", () => {
  const { waiter, replies } = startPoll();
  waiter.hold();
  vi.advanceTimersByTime(POLL_MS + HELD_MS_MAX - 1);
  expect(replies).toEqual([]);
  waiter.release();
  expect(replies).toHaveLength(1);
});

it("a poll whose check took no longer than the poll ends on time", () => {
  const { waiter, replies } = startPoll();
  waiter.hold();
  waiter.release();
  vi.advanceTimersByTime(POLL_MS);
  expect(replies).toHaveLength(1);
});

it("a poll that waits too long for its check ends without it", () => {
  const { waiter, replies } = startPoll();
  waiter.hold();
  vi.advanceTimersByTime(POLL_MS + HELD_MS_MAX);
  expect(replies).toHaveLength(1);
  waiter.release();
  expect(replies).toHaveLength(1);
});
