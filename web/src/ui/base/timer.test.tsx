import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startTimer, useElapsed, useTimer } from "./timer.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("timer", () => {
  it("runs its callback once, after the delay [S9.9]", () => {
    const callback = vi.fn<() => void>();
    startTimer(callback, 2000);
    vi.advanceTimersByTime(1999);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it("never runs once it has been cleared [S9.9]", () => {
    const callback = vi.fn<() => void>();
    startTimer(callback, 2000).clear();
    vi.advanceTimersByTime(10_000);
    expect(callback).not.toHaveBeenCalled();
  });

  it("replaces the running timer when a component starts it again", () => {
    const first = vi.fn<() => void>();
    const second = vi.fn<() => void>();
    const { result } = renderHook(() => useTimer());
    result.current.start(first, 100);
    result.current.start(second, 100);
    vi.advanceTimersByTime(100);
    expect(first).not.toHaveBeenCalled();
    expect(second).toHaveBeenCalledTimes(1);
  });

  it("is cleared when its component unmounts", () => {
    const callback = vi.fn<() => void>();
    const { result, unmount } = renderHook(() => useTimer());
    result.current.start(callback, 100);
    unmount();
    vi.advanceTimersByTime(100);
    expect(callback).not.toHaveBeenCalled();
  });

  it("re-renders a component when a delay has passed", () => {
    const { result } = renderHook(() => useElapsed(150));
    act(() => void vi.advanceTimersByTime(149));
    expect(result.current).toBe(false);
    act(() => void vi.advanceTimersByTime(1));
    expect(result.current).toBe(true);
  });
});
