import { useEffect, useState } from "react";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const count = (amount: number, unit: string) => `${amount} ${unit}${amount === 1 ? "" : "s"}`;

/** "24 hours", "23 hours 59 minutes", "4 minutes 12 seconds", "12 seconds": the two largest units. */
export function remainingTime(ms: number): string {
  const left = Math.ceil(Math.max(0, ms) / second) * second;
  const amounts = [
    [Math.floor(left / hour), "hour"],
    [Math.floor((left % hour) / minute), "minute"],
    [(left % minute) / second, "second"],
  ] as const;
  const first = amounts.findIndex(([amount]) => amount > 0);
  if (first === -1) return "0 seconds";
  const shown = amounts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return shown.map(([amount, unit]) => count(amount, unit)).join(" ");
}

/** The time until an instant, updated every second; 0 once it has passed. */
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

/** Not live: screen readers read it when they reach it, not every second. */
export function Countdown({ remainingMs }: CountdownProps) {
  return (
    <span role="timer" aria-live="off">
      {remainingTime(remainingMs)}
    </span>
  );
}
