import { useEffect, useState } from "react";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** "23 h 59 min", "4 min 12 s", "12 s": the two units that matter. */
export function remainingTime(ms: number): string {
  const left = Math.ceil(Math.max(0, ms) / second) * second;
  const minutes = Math.floor((left % hour) / minute);
  if (left >= hour) return `${Math.floor(left / hour)} h ${minutes} min`;
  const seconds = (left % minute) / second;
  return minutes > 0 ? `${minutes} min ${seconds} s` : `${seconds} s`;
}

/** How long it is until an instant, looked at every second; 0 once it has passed. */
export function useRemaining(until: number): number {
  const [now, setNow] = useState(() => Date.now());
  const remaining = Math.max(0, until - now);
  const isOver = remaining === 0;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), second);
    return () => clearInterval(timer);
  }, [isOver]);
  return remaining;
}

export interface CountdownProps {
  remainingMs: number;
}

/** Read when it is come to, not at every second. */
export function Countdown({ remainingMs }: CountdownProps) {
  return (
    <span role="timer" aria-live="off">
      {remainingTime(remainingMs)}
    </span>
  );
}
