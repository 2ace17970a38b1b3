import type { CSSProperties } from "react";
import styles from "./skeleton.module.css";

export interface SkeletonProps {
  width?: CSSProperties["width"];
  height?: CSSProperties["height"];
}

/** A placeholder for a line of text. Decorative: the caller announces that it is loading. */
export function Skeleton({ width = "100%", height = 12 }: SkeletonProps) {
  return <span aria-hidden="true" className={styles.line} style={{ width, height }} />;
}

const widths = ["62%", "48%", "71%", "55%", "40%"];

/** Placeholders for the rows of a list. */
export function SkeletonRows({ rows = 6 }: { rows?: number | undefined }) {
  return (
    <div aria-hidden="true" className={styles.rows}>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className={styles.row}>
          <Skeleton width={skeletonWidth(index)} />
          <Skeleton width="24%" />
        </div>
      ))}
    </div>
  );
}

/** Uneven like text, but the same on every render. */
export function skeletonWidth(index: number) {
  return widths[index % widths.length] ?? "50%";
}
