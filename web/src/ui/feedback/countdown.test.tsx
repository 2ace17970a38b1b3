import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Countdown, remainingTime, useRemaining } from "./countdown.tsx";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

it.each([
  [86_400_000, "24 h 0 min"],
  [86_399_000, "23 h 59 min"],
  [3_600_000, "1 h 0 min"],
  [252_000, "4 min 12 s"],
  [59_001, "1 min 0 s"],
  [400, "1 s"],
  [0, "0 s"],
  [-5, "0 s"],
])("says %d ms as %s", (ms, words) => {
  expect(remainingTime(ms)).toBe(words);
});

function Clock({ until }: { until: number }) {
  const remainingMs = useRemaining(until);
  return remainingMs === 0 ? <p>Over</p> : <Countdown remainingMs={remainingMs} />;
}

it("counts down every second to its end, and stops there", async () => {
  render(<Clock until={2500} />);
  expect(screen.getByRole("timer").textContent).toBe("3 s");
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(screen.getByRole("timer").textContent).toBe("2 s");
  await act(() => vi.advanceTimersByTimeAsync(2000));
  expect(screen.getByText("Over")).toBeDefined();
  expect(vi.getTimerCount()).toBe(0);
});
