import { useCallback, useEffect, useRef, useState } from "react";
import { handleShownError } from "../lib/errors.ts";
import { debugErrorMessages } from "./debug-error-messages.ts";
import { LINES_MAX, parseLogLine, readLogs, type LogLine, type LogRequest } from "./log-stream.ts";

/** Lines arrive in bursts, so the page renders at most this often. */
const RENDER_INTERVAL_MS = 100;

interface Logs {
  lines: readonly LogLine[];
  isRunning: boolean;
  error: Error | undefined;
}

const idle: Logs = { lines: [], isRunning: false, error: undefined };

/** Runs one log stream at a time and stops it when the page closes. */
export function useHostLogs() {
  const [logs, setLogs] = useState(idle);
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  async function start(request: Omit<LogRequest, "signal">) {
    stop();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setLogs({ ...idle, isRunning: true });

    let buffer: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      timer = undefined;
      const batch = buffer;
      buffer = [];
      setLogs((previous) => ({ ...previous, lines: [...previous.lines, ...batch].slice(-LINES_MAX) }));
    };
    let number = 0;
    let error: Error | undefined;
    try {
      for await (const line of readLogs({ ...request, signal })) {
        buffer.push(parseLogLine(line, number++));
        timer ??= setTimeout(flush, RENDER_INTERVAL_MS);
      }
    } catch (failure) {
      if (!signal.aborted) {
        error = failure as Error;
        handleShownError(error, debugErrorMessages);
      }
    }
    clearTimeout(timer);
    // Another stream has started and now owns the state.
    if (running.current !== controller) return;
    flush();
    setLogs((previous) => ({ ...previous, isRunning: false, error }));
  }

  return { ...logs, start, stop, clear: () => setLogs((previous) => ({ ...previous, lines: [] })) };
}
