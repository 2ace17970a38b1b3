import type { ReactNode } from "react";
import { Status } from "../feedback/status.tsx";
import styles from "./step-list.module.css";

export interface StepListProps<Step extends string> {
  /** In the order in which they are taken. */
  steps: readonly Step[];
  labels: Readonly<Record<Step, string>>;
  current: Step;
  /** Describes the current step. */
  children: ReactNode;
}

/** The steps of a change that takes a while, and how far it is. */
export function StepList<Step extends string>({ steps, labels, current, children }: StepListProps<Step>) {
  const currentIndex = steps.indexOf(current);
  return (
    <ol className={styles.steps}>
      {steps.map((step, index) => (
        <li key={step} aria-current={index === currentIndex ? "step" : undefined} className={styles.step}>
          <Status tone={index < currentIndex ? "ok" : index === currentIndex ? "new" : "off"}>
            {index < currentIndex ? "Done" : index === currentIndex ? "In progress" : "Not started"}
          </Status>
          <div>
            <p>{labels[step]}</p>
            {index === currentIndex && <div className={styles.detail}>{children}</div>}
          </div>
        </li>
      ))}
    </ol>
  );
}
