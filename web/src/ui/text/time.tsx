import { useSyncExternalStore } from "react";
import { absoluteTime, relativeTime } from "../base/relative-time.ts";

const tickMs = 5000;

/** One clock for all times on the page, which runs only while one is shown. */
const clock = {
  now: Date.now(),
  listeners: new Set<() => void>(),
  interval: undefined as ReturnType<typeof setInterval> | undefined,
};

function subscribe(listener: () => void) {
  clock.listeners.add(listener);
  clock.interval ??= setInterval(tick, tickMs);
  return () => {
    clock.listeners.delete(listener);
    if (clock.listeners.size > 0) return;
    clearInterval(clock.interval);
    clock.interval = undefined;
  };
}

function tick() {
  clock.now = Date.now();
  for (const listener of clock.listeners) listener();
}

function currentTime() {
  if (clock.listeners.size === 0) clock.now = Date.now();
  return clock.now;
}

/** The current time, updated every few seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, currentTime);

export interface TimeProps {
  /** An ISO instant. */
  at: string;
  absolute?: boolean | undefined;
  /** The instant is in the past: if the clocks differ and it seems to be in the future, "just now" is shown. */
  past?: boolean | undefined;
}

/** A relative time that updates itself, with the exact instant as its title. */
export function Time({ at, absolute = false, past = false }: TimeProps) {
  const now = useNow();
  const instant = new Date(at);
  const exact = absoluteTime(instant);
  const relative = past && instant.getTime() > now ? "just now" : relativeTime(instant, new Date(now));
  return (
    <time dateTime={at} title={exact}>
      {absolute ? exact : relative}
    </time>
  );
}
