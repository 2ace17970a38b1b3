import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import chipStyles from "./chip.module.css";
import { classNames } from "./class-names.ts";
import styles from "./fitting-line.module.css";

/** What "+12" takes, with the gap before it. */
const REST_PX = 34;

/** How many there is room for in one line, "+n" included where not all of them are; one at least. */
export function countFitting(widths: readonly number[], room: number, gap: number): number {
  let end = -gap;
  const ends = widths.map((width) => (end += gap + width));
  if (end <= room) return widths.length;
  return Math.max(1, ends.filter((one) => one <= room - REST_PX).length);
}

interface FittingLineProps {
  texts: readonly string[];
  /** How each of them looks. */
  as: "chip" | "code";
}

/** As many as there is room for in one line, then how many more there are: which, says the tooltip. */
export function FittingLine(props: FittingLineProps) {
  const said = props.texts.join(", ");
  return <Line key={said} {...props} said={said} />;
}

/** How many fitted the last time: as a rule so many do again, and nothing moves. */
const remembered = new Map<string, number>();
const REMEMBERED_MAX = 1000;

function Line({ texts, said, as }: FittingLineProps & { said: string }) {
  const line = useRef<HTMLSpanElement>(null);
  const [fitting, setFitting] = useState(remembered.get(said) ?? texts.length);
  useEffect(() => {
    if (!line.current) return undefined;
    return observe(line.current, (count) => {
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.set(said, count);
      setFitting(count);
    });
  }, [said]);
  const Item = as === "chip" ? "bdi" : "code";
  const item = (text: string) => (
    <Item
      key={text}
      data-item
      className={classNames(as === "chip" && chipStyles.chip, styles[as], fitting === 1 && styles.only)}
    >
      {text}
    </Item>
  );
  const rest = texts.length - fitting;
  return (
    <span ref={line} title={said} className={classNames(styles.line, as === "code" && styles.apart)}>
      {texts.slice(0, fitting).map(item)}
      {/* What it stands for follows, out of sight, for those who read by ear. */}
      {rest > 0 && (
        <span aria-hidden="true" className={styles.rest}>
          +{rest}
        </span>
      )}
      {texts.slice(fitting).map(item)}
    </span>
  );
}

function measure(line: HTMLElement): number {
  const widths = [...line.querySelectorAll<HTMLElement>("[data-item]")].map(({ offsetWidth }) => offsetWidth);
  const gap = Number.parseFloat(getComputedStyle(line).columnGap) || 0;
  return countFitting(widths, line.clientWidth, gap);
}

type SetFitting = (count: number) => void;
const lines = new Map<Element, SetFitting>();

/** One for all of them: it comes after the browser has laid out the page, and before it paints. */
let observer: ResizeObserver | undefined;

function observe(line: HTMLElement, setFitting: SetFitting) {
  observer ??= new ResizeObserver((entries) => {
    const counts = entries.map(({ target }) => [target, measure(target as HTMLElement)] as const);
    flushSync(() => {
      for (const [target, count] of counts) lines.get(target)?.(count);
    });
  });
  lines.set(line, setFitting);
  observer.observe(line);
  return () => {
    lines.delete(line);
    observer?.unobserve(line);
  };
}
