import { useCallback, useEffect, useRef, useState } from "react";
import { handleShownError } from "../lib/errors.ts";
import { debugRules } from "./debug-words.ts";
import { LINES_KEPT, parseLogLine, readLogs, type LogLine, type LogRequest } from "./log-stream.ts";

/** Lines come in bursts; the page is drawn at most this often. */
const DRAW_MS = 100;

interface Logs {
  lines: readonly LogLine[];
  isRunning: boolean;
  error: Error | undefined;
}

const none: Logs = { lines: [], isRunning: false, error: undefined };

/** One stream at a time; it ends when the page is left. */
export function useHostLogs() {
  const [logs, setLogs] = useState(none);
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  async function start(request: Omit<LogRequest, "signal">) {
    stop();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setLogs({ ...none, isRunning: true });

    let waiting: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      timer = undefined;
      const come = waiting;
      waiting = [];
      setLogs((before) => ({ ...before, lines: [...before.lines, ...come].slice(-LINES_KEPT) }));
    };
    let number = 0;
    let error: Error | undefined;
    try {
      for await (const line of readLogs({ ...request, signal })) {
        waiting.push(parseLogLine(line, number++));
        timer ??= setTimeout(draw, DRAW_MS);
      }
    } catch (failure) {
      if (!signal.aborted) {
        error = failure as Error;
        handleShownError(error, debugRules);
      }
    }
    clearTimeout(timer);
    // Another one has begun meanwhile: the page is its now.
    if (running.current !== controller) return;
    draw();
    setLogs((before) => ({ ...before, isRunning: false, error }));
  }

  return { ...logs, start, stop, clear: () => setLogs((before) => ({ ...before, lines: [] })) };
}
