import { Skeleton, skeletonWidth } from "../ui/feedback/skeleton.tsx";
import { appearDelayMs, useElapsed } from "../ui/base/timer.ts";
import { VisuallyHidden } from "../ui/base/visually-hidden.tsx";
import styles from "./answer-skeleton.module.css";

const STEPS = 5;

/** As tall as an answer, so that nothing moves when the answer arrives. */
export function AnswerSkeleton({ source, destination }: { source: string; destination: string }) {
  const isShown = useElapsed(appearDelayMs);
  return (
    <div className={styles.card} aria-busy="true">
      <VisuallyHidden>
        Checking access from {source} to {destination}
      </VisuallyHidden>
      <div className={styles.answer}>{isShown && <Skeleton width="46%" />}</div>
      {Array.from({ length: STEPS }, (_, index) => (
        <div key={index} className={styles.step}>
          {isShown && <Skeleton width={skeletonWidth(index)} />}
        </div>
      ))}
    </div>
  );
}
