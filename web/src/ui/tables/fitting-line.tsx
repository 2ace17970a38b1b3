import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import chipStyles from "../text/chip.module.css";
import { classNames } from "../base/class-names.ts";
import styles from "./fitting-line.module.css";
import type { MenuEntry } from "../overlays/menu-popup.tsx";
import { MoreMenu } from "../overlays/more-menu.tsx";

/** Width of "+12" with the gap before it. */
const REST_PX = 38;
/** An item narrower than this shows too little text to be recognized. */
const CLIPPED_MIN_PX = 44;
/** Keep in sync with `--item-max` in the style sheet. */
const CHIP_MAX_PX = 160;

/** The number of items that fit on one line, with space for "+n" unless all of them fit. */
export function countFitting(widths: readonly number[], lineWidth: number, gap: number): number {
  let end = -gap;
  const ends = widths.map((width) => (end += gap + width));
  if (end <= lineWidth) return widths.length;
  const fitting = ends.filter((itemEnd) => itemEnd <= lineWidth - REST_PX).length;
  // A first item that is too long is clipped rather than omitted.
  return fitting === 0 && lineWidth - REST_PX >= CLIPPED_MIN_PX ? 1 : fitting;
}

interface FittingLineProps {
  texts: readonly string[];
  as: "chip" | "code";
  /** What the items are, in the plural: names the button that shows the hidden ones. */
  noun: string;
  /** The menu entry of a hidden item. */
  entryOf: (text: string) => MenuEntry;
}

/** As many items as fit in one line, then "+n", which opens a menu with the hidden ones. */
export function FittingLine(props: FittingLineProps) {
  const title = props.texts.join(", ");
  return <Line key={title} {...props} title={title} />;
}

/** Last count by content: the first render is usually right, so nothing moves. */
const lastCounts = new Map<string, number>();
const LAST_COUNTS_MAX = 1000;

function Line({ texts, title, as, noun, entryOf }: FittingLineProps & { title: string }) {
  const line = useRef<HTMLSpanElement>(null);
  const [fitting, setFitting] = useState(lastCounts.get(title) ?? texts.length);
  // A later effect could run while the observer reports on other lines, and an observation that starts then is
  // an error ("undelivered notifications").
  useLayoutEffect(() => {
    if (!line.current) return undefined;
    return observe(line.current, (count) => {
      if (lastCounts.size >= LAST_COUNTS_MAX) lastCounts.clear();
      lastCounts.set(title, count);
      setFitting(count);
    });
  }, [title]);
  const Item = as === "chip" ? "bdi" : "code";
  const item = (text: string, isHidden: boolean) => (
    <Item
      key={text}
      data-item={isHidden ? "hidden" : "shown"}
      className={classNames(
        as === "chip" && chipStyles.chip,
        styles[as],
        isHidden && styles.hidden,
        fitting === 1 && styles.only,
      )}
    >
      {text}
    </Item>
  );
  const hidden = texts.slice(fitting);
  return (
    <span
      ref={line}
      title={title}
      data-fitting-line=""
      className={classNames(styles.line, as === "code" && styles.apart)}
    >
      {texts.slice(0, fitting).map((text) => item(text, false))}
      {hidden.length > 0 && (
        <MoreMenu count={hidden.length} noun={noun} items={hidden.map(entryOf)} className={styles.rest} />
      )}
      {/* Kept in the document to be measured. */}
      {hidden.map((text) => item(text, true))}
    </span>
  );
}

/** The width an item takes when it is not squeezed. */
function naturalWidth(item: HTMLElement): number {
  const { scrollWidth, clientWidth, offsetWidth } = item;
  if (scrollWidth <= clientWidth) return item.getBoundingClientRect().width;
  const unclipped = scrollWidth + offsetWidth - clientWidth;
  return item.tagName === "BDI" ? Math.min(unclipped, CHIP_MAX_PX) : unclipped;
}

function measure(line: HTMLElement): number {
  const widths = [...line.querySelectorAll<HTMLElement>("[data-item]")].map(naturalWidth);
  const gap = Number.parseFloat(getComputedStyle(line).columnGap) || 0;
  return countFitting(widths, line.getBoundingClientRect().width, gap);
}

type SetFitting = (count: number) => void;
const lines = new Map<Element, SetFitting>();

function measureAll(targets: Iterable<Element>) {
  const counts = [...targets].map((target) => [target, measure(target as HTMLElement)] as const);
  flushSync(() => {
    for (const [target, count] of counts) lines.get(target)?.(count);
  });
}

/** One observer for all lines: it reports after layout and before paint. */
let observer: ResizeObserver | undefined;

function createObserver() {
  // A font that arrives late changes the items but not the line.
  document.fonts?.addEventListener("loadingdone", () => measureAll(lines.keys()));
  return new ResizeObserver((entries) => measureAll(entries.map(({ target }) => target)));
}

function observe(line: HTMLElement, setFitting: SetFitting) {
  observer ??= createObserver();
  lines.set(line, setFitting);
  observer.observe(line);
  return () => {
    lines.delete(line);
    observer?.unobserve(line);
  };
}
