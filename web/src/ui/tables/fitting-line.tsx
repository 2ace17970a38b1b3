import { useLayoutEffect, useRef, useState } from "react";
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

/** The measurements of a line and of the items in it. */
interface Measured {
  lineWidth: number;
  gap: number;
  /** By text. */
  widths: Map<string, number>;
}

/** Of the last line of each noun: with them, the first render is usually right, and a second is not needed. */
const measuredLines = new Map<string, Measured>();
const WIDTHS_MAX = 1000;

function predictFitting(texts: readonly string[], noun: string): number | undefined {
  const measured = measuredLines.get(noun);
  const widths = texts.map((text) => measured?.widths.get(text));
  if (!measured || widths.includes(undefined)) return undefined;
  return countFitting(widths as number[], measured.lineWidth, measured.gap);
}

/** Returns the number of items that fit on the line with the ref. */
function useFitting(texts: readonly string[], noun: string) {
  const line = useRef<HTMLSpanElement>(null);
  const [predicted] = useState(() => predictFitting(texts, noun));
  const [fitting, setFitting] = useState(predicted ?? texts.length);
  useLayoutEffect(() => {
    const element = line.current;
    if (!element) return undefined;
    // Sets the state without `flushSync`: the browser reports an error if the page changes while sizes are observed.
    const update = () => setFitting(measure(element, noun));
    // Measuring makes the browser lay out the page immediately. A line that is predicted is measured by the observer.
    if (predicted === undefined) update();
    const observer = new ResizeObserver(update);
    observer.observe(element);
    // A font that arrives late changes the items but not the line.
    document.fonts?.addEventListener("loadingdone", update);
    return () => {
      observer.disconnect();
      document.fonts?.removeEventListener("loadingdone", update);
    };
  }, [noun, predicted]);
  return { line, fitting };
}

function Line({ texts, title, as, noun, entryOf }: FittingLineProps & { title: string }) {
  const { line, fitting } = useFitting(texts, noun);
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

/** Returns the number of items that fit. */
function measure(line: HTMLElement, noun: string): number {
  const before = measuredLines.get(noun)?.widths;
  const known = before && before.size < WIDTHS_MAX ? before : new Map<string, number>();
  const items = [...line.querySelectorAll<HTMLElement>("[data-item]")];
  const widths = items.map(naturalWidth);
  items.forEach(({ textContent }, index) => known.set(textContent ?? "", widths[index] ?? 0));
  const gap = Number.parseFloat(getComputedStyle(line).columnGap) || 0;
  const lineWidth = line.getBoundingClientRect().width;
  measuredLines.set(noun, { lineWidth, gap, widths: known });
  return countFitting(widths, lineWidth, gap);
}
