import { classNames } from "../base/class-names.ts";
import { image } from "../base/image.ts";
import styles from "./spinner.module.css";
import { appearDelayMs, useElapsed } from "../base/timer.ts";

const largeSpinnerSize = 48;

export interface SpinnerProps {
  size?: number | undefined;
  label?: string | undefined;
  /** Takes its space, but is invisible for the first 150 ms. */
  delayed?: boolean | undefined;
}

export function Spinner({ size = 32, label = "Loading", delayed = false }: SpinnerProps) {
  const visible = useElapsed(delayed ? appearDelayMs : 0);
  const isLarge = size >= largeSpinnerSize;
  if (!visible) return <span className={styles.place} style={{ width: size, height: size }} />;
  return (
    <svg
      {...image(label)}
      width={size}
      height={size}
      viewBox="0 0 32 32"
      className={classNames(styles.spinner, isLarge && styles.large)}
    >
      <circle className={styles.track} cx={16} cy={16} r={13} />
      <circle className={styles.arc} cx={16} cy={16} r={13} pathLength={100} />
    </svg>
  );
}
