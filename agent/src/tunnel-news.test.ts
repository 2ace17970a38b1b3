import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchTunnels } from "./tunnel-news.ts";

const lines = new EventEmitter<{ line: [string] }>();
const say = (...said: string[]) => said.forEach((line) => lines.emit("line", line));
const MADE = 'level=info msg="Handshake message received" certName=web-1 vpnAddrs="[100.100.0.7]"';
const CLOSED = 'level=info msg="Close tunnel received, tearing down."';
let told: number;
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  told = 0;
  stop = watchTunnels({ lines }, () => told++);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

it("is told a moment after a tunnel was made, once for several", () => {
  say(MADE, MADE, CLOSED);
  vi.advanceTimersByTime(999);
  expect(told).toBe(0);
  vi.advanceTimersByTime(1);
  expect(told).toBe(1);
});

it("is told again half a minute later at the earliest, and then without fail", () => {
  say(MADE);
  vi.advanceTimersByTime(1000);
  say(CLOSED);
  vi.advanceTimersByTime(29_999);
  expect(told).toBe(1);
  vi.advanceTimersByTime(1);
  expect(told).toBe(2);
  vi.advanceTimersByTime(60_000);
  say(MADE);
  vi.advanceTimersByTime(1000);
  expect(told).toBe(3);
});

it("is not told of anything else, nor after the end", () => {
  say('level=info msg="Nebula interface is active"', 'level=info msg="Main HostMap created"');
  vi.advanceTimersByTime(60_000);
  say(MADE);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(told).toBe(0);
});
