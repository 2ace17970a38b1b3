import { useState, type KeyboardEvent } from "react";
import styles from "./sparkline.module.css";

const [WIDTH, HEIGHT] = [300, 44];

interface SparklineProps {
  /** The accessible name: "Received". */
  label: string;
  /** Null is a gap. */
  values: readonly (number | null)[];
  /** What a step shows and a screen reader says: "12:15: 3 MB". */
  describe: (index: number) => string;
}

/** The runs of consecutive values, so that time without values stays empty. */
function findRuns(values: readonly (number | null)[]): [index: number, value: number][][] {
  const runs: [number, number][][] = [];
  values.forEach((value, index) => {
    if (value === null) return;
    if (index === 0 || values[index - 1] === null) runs.push([]);
    runs.at(-1)?.push([index, value]);
  });
  return runs;
}

/** The index that a key moves to; undefined for other keys. */
function nextIndex(key: string, current: number, last: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: Math.max(0, current - 1),
    ArrowRight: Math.min(last, current + 1),
    Home: 0,
    End: last,
  };
  return steps[key];
}

/** A small chart. Arrow keys, Home and End move along it, step by step. */
export function Sparkline({ label, values, describe }: SparklineProps) {
  const last = values.length - 1;
  const [selected, setSelected] = useState<number>();
  const current = selected ?? last;
  function onKeyDown(event: KeyboardEvent) {
    const next = nextIndex(event.key, current, last);
    if (next === undefined) return;
    event.preventDefault();
    setSelected(next);
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-readonly="true"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={current}
      aria-valuetext={describe(current)}
      className={styles.chart}
      onKeyDown={onKeyDown}
      onBlur={() => setSelected(undefined)}
    >
      <Lines values={values} selected={selected} />
      <p aria-hidden="true" className={styles.step}>
        {selected === undefined ? "" : describe(selected)}
      </p>
    </div>
  );
}

function Lines({ values, selected }: Pick<SparklineProps, "values"> & { selected: number | undefined }) {
  const max = Math.max(1, ...values.map((value) => value ?? 0));
  const xOf = (index: number) => (index / (values.length - 1)) * WIDTH;
  const yOf = (value: number) => HEIGHT - 1 - (value / max) * (HEIGHT - 4);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className={styles.svg}
    >
      {findRuns(values).map((run) => (
        <Run key={run[0]?.[0]} points={run.map(([index, value]) => [xOf(index), yOf(value)])} />
      ))}
      {selected !== undefined && (
        <path
          d={`M${xOf(selected)} 0V${HEIGHT}`}
          className={styles.cursor}
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}

function Run({ points }: { points: readonly (readonly [number, number])[] }) {
  const [first] = points;
  const end = points.at(-1);
  if (!first || !end) return null;
  // A single value is as wide as half a step, so that it is visible.
  const line = [...points, ...(points.length === 1 ? [[first[0] + 1.5, first[1]]] : [])]
    .map((point) => point.map((coordinate) => Number(coordinate?.toFixed(1))).join(" "))
    .join("L");
  return (
    <>
      <path d={`M${first[0]} ${HEIGHT}L${line}L${end[0]} ${HEIGHT}z`} className={styles.area} />
      <path d={`M${line}`} className={styles.line} vectorEffect="non-scaling-stroke" />
    </>
  );
}
