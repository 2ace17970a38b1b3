import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Countdown, remainingTime, useRemaining } from "./countdown.tsx";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

it.each([
  [86_400_000, "24 hours"],
  [86_399_000, "23 hours 59 minutes"],
  [3_600_000, "1 hour"],
  [252_000, "4 minutes 12 seconds"],
  [59_001, "1 minute"],
  [400, "1 second"],
  [0, "0 seconds"],
  [-5, "0 seconds"],
])("shows %d ms as %s", (ms, words) => {
  expect(remainingTime(ms)).toBe(words);
});

function Clock({ until }: { until: number }) {
  const remainingMs = useRemaining(until);
  return remainingMs === 0 ? <p>Over</p> : <Countdown remainingMs={remainingMs} />;
}

it("counts down every second and stops at zero", async () => {
  render(<Clock until={2500} />);
  expect(screen.getByRole("timer").textContent).toBe("3 seconds");
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(screen.getByRole("timer").textContent).toBe("2 seconds");
  await act(() => vi.advanceTimersByTimeAsync(2000));
  expect(screen.getByText("Over")).toBeDefined();
  expect(vi.getTimerCount()).toBe(0);
});
