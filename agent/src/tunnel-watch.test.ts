import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchTunnels } from "./tunnel-watch.ts";

const lines = new EventEmitter<{ line: [string] }>();
const logLines = (...messages: string[]) => messages.forEach((line) => lines.emit("line", line));
const CREATED = 'level=info msg="Handshake message received" certName=web-1 vpnAddrs="[100.100.0.7]"';
const CLOSED = 'level=info msg="Close tunnel received, tearing down."';
let reports: number;
let stop: () => void;
beforeEach(() => {
  vi.useFakeTimers();
  reports = 0;
  stop = watchTunnels({ lines }, () => reports++);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

it("reports several tunnel changes together, after one second", () => {
  logLines(CREATED, CREATED, CLOSED);
  vi.advanceTimersByTime(999);
  expect(reports).toBe(0);
  vi.advanceTimersByTime(1);
  expect(reports).toBe(1);
});

it("reports further changes at most every 30 seconds, without missing any", () => {
  logLines(CREATED);
  vi.advanceTimersByTime(1000);
  logLines(CLOSED);
  vi.advanceTimersByTime(29_999);
  expect(reports).toBe(1);
  vi.advanceTimersByTime(1);
  expect(reports).toBe(2);
  vi.advanceTimersByTime(60_000);
  logLines(CREATED);
  vi.advanceTimersByTime(1000);
  expect(reports).toBe(3);
});

it("ignores other log lines, and reports nothing after it is stopped", () => {
  logLines('level=info msg="Nebula interface is active"', 'level=info msg="Main HostMap created"');
  vi.advanceTimersByTime(60_000);
  logLines(CREATED);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(reports).toBe(0);
});
