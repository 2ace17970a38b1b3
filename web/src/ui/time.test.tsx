import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { relativeTime } from "./relative-time.ts";
import { Time } from "./time.tsx";

const now = new Date("2026-11-15T12:00:00Z");

beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

it.each([
  ["2026-11-15T12:00:00.400Z", "now"],
  ["2026-11-15T11:59:48Z", "12 s ago"],
  ["2026-11-15T11:58:00Z", "2 min ago"],
  ["2026-11-14T13:00:00Z", "23 h ago"],
  ["2026-11-14T11:00:00Z", "25 h ago"],
  ["2026-11-12T12:00:00Z", "3 d ago"],
  ["2026-11-24T12:00:00Z", "in 9 d"],
  ["2026-09-17T12:00:00Z", "59 d ago"],
  ["2026-09-10T12:00:00Z", "2 mo ago"],
  ["2024-11-16T12:00:00Z", "23 mo ago"],
  ["2027-11-15T12:00:00Z", "in 12 mo"],
  ["2024-11-15T12:00:00Z", "2 y ago"],
  ["2020-11-15T12:00:00Z", "6 y ago"],
])("writes %s as %s", (at, words) => {
  expect(relativeTime(new Date(at), now)).toBe(words);
});

it("keeps itself current and holds the exact instant for machines and in its title", () => {
  render(<Time at="2026-11-15T11:59:48Z" />);
  const time = screen.getByText("12 s ago");
  expect(time.getAttribute("datetime")).toBe("2026-11-15T11:59:48Z");
  expect(time.title).toMatch(/2026.*:59:48/);
  act(() => void vi.advanceTimersByTime(10_000));
  expect(time.textContent).toBe("22 s ago");
});
