import { useCallback, useEffect, useRef, useState } from "react";

export interface Timer {
  clear: () => void;
}

export function startTimer(callback: () => void, delayMs: number): Timer {
  const id = setTimeout(callback, delayMs);
  return { clear: () => clearTimeout(id) };
}

/** One timer that starting again replaces and unmounting clears. */
export function useTimer() {
  const timer = useRef<Timer>(undefined);
  const clear = useCallback(() => timer.current?.clear(), []);
  const start = useCallback((callback: () => void, delayMs: number) => {
    timer.current?.clear();
    timer.current = startTimer(callback, delayMs);
  }, []);
  useEffect(() => clear, [clear]);
  return { start, clear };
}

/** Nothing that takes less than this shows that it is waiting. */
export const appearDelayMs = 150;

/** False at first, true once the delay has passed. */
export function useElapsed(delayMs: number) {
  const [elapsed, setElapsed] = useState(delayMs === 0);
  useEffect(() => startTimer(() => setElapsed(true), delayMs).clear, [delayMs]);
  return elapsed;
}
