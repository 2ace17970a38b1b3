import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/controls/button.tsx";
import { classNames } from "../ui/base/class-names.ts";
import type { LogLine } from "./log-stream.ts";
import styles from "./log-view.module.css";

/** More than a screen holds; the rest is kept, searched and downloaded, but not drawn. */
const LINES_DRAWN = 500;
/** Whoever is this close to the end is reading it. */
const NEAR_END_PX = 24;

const tones: Readonly<Record<string, string | undefined>> = {
  panic: styles.bad,
  fatal: styles.bad,
  error: styles.bad,
  warning: styles.warn,
  debug: styles.faint,
};

/** The end of the log. It follows what comes until one scrolls back to read. */
export function LogView({ lines, isRunning }: { lines: readonly LogLine[]; isRunning: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  useEffect(() => {
    if (isFollowing) scrollToEnd(box.current);
  });

  function noticeScroll() {
    const { scrollTop, clientHeight, scrollHeight } = box.current ?? document.documentElement;
    setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_END_PX);
  }

  const drawn = lines.slice(-LINES_DRAWN);
  return (
    <div className={styles.frame}>
      <div ref={box} {...scrollable} className={styles.box} onScroll={noticeScroll}>
        {drawn.length === 0 && (
          <p className={styles.faint}>{isRunning ? "Waiting for the first line…" : "Nothing here yet."}</p>
        )}
        {drawn.map((line) => (
          <Line key={line.number} line={line} />
        ))}
      </div>
      {!isFollowing && (
        <Button size="small" className={styles.follow} onClick={() => scrollToEnd(box.current)}>
          Follow the end
        </Button>
      )}
    </div>
  );
}

/** By keyboard too. It would never be silent if every line were announced. */
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
