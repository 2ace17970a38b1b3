import { useSyncExternalStore } from "react";
import { absoluteTime, relativeTime } from "../base/relative-time.ts";

const tickMs = 5000;

/** One clock for every time on the page, running only while one is shown. */
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

/** The time it is, looked at every few seconds. */
export const useNow = (): number => useSyncExternalStore(subscribe, currentTime);

export interface TimeProps {
  /** An ISO instant. */
  at: string;
  absolute?: boolean | undefined;
  /** It has happened, whatever the clocks say: an instant in the future is shown as "just now". */
  past?: boolean | undefined;
}

/** How long ago or until when, kept current; the exact instant is in its title. */
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
