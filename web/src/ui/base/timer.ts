import { useCallback, useEffect, useRef, useState } from "react";

export interface Timer {
  clear: () => void;
}

export function startTimer(callback: () => void, delayMs: number): Timer {
  const id = setTimeout(callback, delayMs);
  return { clear: () => clearTimeout(id) };
}

/** A single timer: starting replaces it, and unmounting clears it. */
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

/** Loading indicators appear only after this delay. */
export const appearDelayMs = 150;

/** False at first, true once the delay has passed. */
export function useElapsed(delayMs: number) {
  const [elapsed, setElapsed] = useState(delayMs === 0);
  useEffect(() => startTimer(() => setElapsed(true), delayMs).clear, [delayMs]);
  return elapsed;
}
