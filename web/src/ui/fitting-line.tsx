import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./fitting-line.module.css";
import { VisuallyHidden } from "./visually-hidden.tsx";

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
  /** For what has no border of its own. */
  apart?: boolean | undefined;
  children: (text: string) => ReactNode;
}

/** As many as there is room for in one line, then how many more there are: which, say the tooltip and the readers. */
export function FittingLine(props: FittingLineProps) {
  return <Line key={props.texts.join()} {...props} />;
}

function Line({ texts, apart = false, children }: FittingLineProps) {
  const line = useRef<HTMLSpanElement>(null);
  const [fitting, setFitting] = useState(texts.length);
  useLayoutEffect(() => {
    const element = line.current;
    if (!element) return;
    const measure = () => {
      const items = [...element.querySelectorAll<HTMLElement>("[data-item]")];
      const widths = items.map(({ offsetWidth }) => offsetWidth);
      const gap = Number.parseFloat(getComputedStyle(element).columnGap) || 0;
      setFitting(countFitting(widths, element.clientWidth, gap));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const rest = texts.slice(fitting);
  return (
    <span ref={line} title={texts.join(", ")} className={classNames(styles.line, apart && styles.apart)}>
      {texts.map((text, index) => (
        <span
          key={text}
          data-item
          className={classNames(
            styles.item,
            fitting === 1 && index === 0 && styles.only,
            index >= fitting && styles.left,
          )}
        >
          {children(text)}
        </span>
      ))}
      {rest.length > 0 && (
        <span className={styles.rest}>
          +{rest.length}
          <VisuallyHidden> more: {rest.join(", ")}</VisuallyHidden>
        </span>
      )}
    </span>
  );
}
