import { lazy, Suspense, type ReactNode } from "react";
import { useFormContext } from "react-hook-form";
import type { ChangesListProps } from "./changes-list.tsx";
import styles from "./changes-panel.module.css";
import type { WithRules } from "./rule-values.ts";

const ChangesList = lazy(() => import("./changes-list.tsx"));

export interface ChangesPanelProps extends ChangesListProps {
  /** A sentence that says on which hosts. */
  scope: ReactNode;
}

/** What saving would open and close, as one edits. */
export function ChangesPanel({ scope, ...compared }: ChangesPanelProps) {
  const { isDirty } = useFormContext<WithRules>().formState;
  const nothing = <NothingChanges />;
  return (
    <section aria-label="What saving changes" className={styles.panel}>
      <h3 className={styles.title}>What saving changes</h3>
      {isDirty ? (
        <Suspense fallback={nothing}>
          <ChangesList {...compared} nothing={nothing} />
        </Suspense>
      ) : (
        nothing
      )}
      <p className={styles.note}>{scope}</p>
    </section>
  );
}

const NothingChanges = () => <p className={styles.nothing}>Nothing is opened or closed.</p>;
