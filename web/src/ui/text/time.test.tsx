import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { relativeTime } from "../base/relative-time.ts";
import { Time } from "./time.tsx";

const now = new Date("2026-11-15T12:00:00Z");

beforeEach(() => void vi.useFakeTimers({ now }));
afterEach(() => void vi.useRealTimers());

it.each([
  ["2026-11-15T12:00:00.400Z", "now"],
  ["2026-11-15T11:59:48Z", "12 seconds ago"],
  ["2026-11-15T11:58:00Z", "2 minutes ago"],
  ["2026-11-14T13:00:00Z", "23 hours ago"],
  ["2026-11-14T11:00:00Z", "25 hours ago"],
  ["2026-11-12T12:00:00Z", "3 days ago"],
  ["2026-11-24T12:00:00Z", "in 9 days"],
  ["2026-09-17T12:00:00Z", "59 days ago"],
  ["2026-09-10T12:00:00Z", "2 months ago"],
  ["2024-11-16T12:00:00Z", "2 years ago"],
  ["2027-11-15T12:00:00Z", "in 12 months"],
  // A certificate for 365 days, a moment after it was issued.
  ["2027-11-15T11:59:50Z", "in 12 months"],
  ["2026-11-15T12:59:50Z", "in 1 hour"],
  ["2025-05-16T12:00:00Z", "18 months ago"],
  ["2024-11-15T12:00:00Z", "2 years ago"],
  ["2020-11-15T12:00:00Z", "6 years ago"],
])("shows %s as %s", (at, words) => {
  expect(relativeTime(new Date(at), now)).toBe(words);
});

it("updates itself and has the exact instant in its attributes", () => {
  render(<Time at="2026-11-15T11:59:48Z" />);
  const time = screen.getByText("12 seconds ago");
  expect(time.getAttribute("datetime")).toBe("2026-11-15T11:59:48Z");
  expect(time.title).toMatch(/2026.*:59:48/);
  act(() => void vi.advanceTimersByTime(10_000));
  expect(time.textContent).toBe("22 seconds ago");
});

it("shows a past instant as past when the clocks disagree", () => {
  render(<Time at="2026-11-15T14:00:00Z" past />);
  expect(screen.getByText("just now").getAttribute("datetime")).toBe("2026-11-15T14:00:00Z");
});
