import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/controls/button.tsx";
import { classNames } from "../ui/base/class-names.ts";
import type { LogLine } from "./log-stream.ts";
import styles from "./log-view.module.css";

/** Older lines can be filtered and downloaded, but aren't rendered. */
const RENDERED_LINES_MAX = 500;
/** This close to the end, the view follows new lines. */
const NEAR_END_PX = 24;

const tones: Readonly<Record<string, string | undefined>> = {
  panic: styles.bad,
  fatal: styles.bad,
  error: styles.bad,
  warning: styles.warn,
  debug: styles.faint,
};

/** The end of the log. Follows new lines until the reader scrolls up. */
export function LogView({ lines, isRunning }: { lines: readonly LogLine[]; isRunning: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  useEffect(() => {
    if (isFollowing) scrollToEnd(box.current);
  });

  function updateFollowing() {
    const { scrollTop, clientHeight, scrollHeight } = box.current ?? document.documentElement;
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_END_PX);
  }

  const renderedLines = lines.slice(-RENDERED_LINES_MAX);
  return (
    <div className={styles.frame}>
      <div ref={box} {...scrollable} className={styles.box} onScroll={updateFollowing}>
        {renderedLines.length === 0 && (
          <p className={styles.faint}>{isRunning ? "Waiting for the first line…" : "No log lines yet."}</p>
        )}
        {renderedLines.map((line) => (
          <Line key={line.number} line={line} />
        ))}
      </div>
      {!isFollowing && (
        <Button size="small" className={styles.follow} onClick={() => scrollToEnd(box.current)}>
          Jump to the latest line
        </Button>
      )}
    </div>
  );
}

/** Focusable, so that it scrolls by keyboard. Not live: announcing every line would be constant noise. */
const scrollable = { role: "log", "aria-label": "Log", "aria-live": "off", tabIndex: 0 } as const;

function scrollToEnd(box: HTMLElement | null) {
  if (box) box.scrollTop = box.scrollHeight;
}

function Line({ line: { time, level, message, details } }: { line: LogLine }) {
  return (
    <div className={styles.line}>
      {time && <time dateTime={time}>{time.replace(/^.*T/, "").replace(/(\.\d{3})\d*/, "$1")} </time>}
      {level && <span className={classNames(styles.level, tones[level])}>{level} </span>}
      {message}
      {details && <span className={styles.faint}> {details}</span>}
    </div>
  );
}
