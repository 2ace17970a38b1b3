import type { ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import styles from "./status.module.css";

const ring = { fill: "none", stroke: "currentColor", strokeWidth: 1.6 };

const shapes = {
  ok: <circle cx={5} cy={5} r={4.2} fill="currentColor" />,
  off: <circle cx={5} cy={5} r={3.6} {...ring} />,
  warn: <path d="M5 .8 9.6 9.2H.4z" fill="currentColor" />,
  bad: <path d="m1.2 1.2 7.6 7.6m0-7.6L1.2 8.8" {...ring} strokeWidth={2} strokeLinecap="round" />,
  drift: <path d="M5 .6 9.4 5 5 9.4.6 5z" fill="currentColor" />,
  update: <path d="M5 9V1.5M1.8 4.6 5 1.4l3.2 3.2" {...ring} />,
  new: <circle cx={5} cy={5} r={3.6} {...ring} strokeDasharray="2.2 1.6" />,
};

export interface StatusProps {
  tone: keyof typeof shapes;
  /** The label: color and shape alone aren't accessible. */
  children: ReactNode;
}

export function Status({ tone, children }: StatusProps) {
  return (
    <span className={classNames(styles.status, styles[tone])}>
      <svg width={10} height={10} viewBox="0 0 10 10" aria-hidden="true">
        {shapes[tone]}
      </svg>
      {children}
    </span>
  );
}
