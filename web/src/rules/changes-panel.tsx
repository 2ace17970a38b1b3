import { lazy, Suspense, type ReactNode } from "react";
import { useFormContext } from "react-hook-form";
import type { ChangesListProps } from "./changes-list.tsx";
import styles from "./changes-panel.module.css";
import type { WithRules } from "./rule-values.ts";

const ChangesList = lazy(() => import("./changes-list.tsx"));

export interface ChangesPanelProps extends ChangesListProps {
  /** A sentence that says which hosts are affected. */
  scope: ReactNode;
}

/** What access saving would add and remove, updated while editing. */
export function ChangesPanel({ scope, ...comparison }: ChangesPanelProps) {
  const { isDirty } = useFormContext<WithRules>().formState;
  const noChange = <NoChange />;
  return (
    <section aria-label="Preview changes" className={styles.panel}>
      <h3 className={styles.title}>Preview changes</h3>
      {isDirty ? (
        <Suspense fallback={noChange}>
          <ChangesList {...comparison} noChange={noChange} />
        </Suspense>
      ) : (
        noChange
      )}
      <p className={styles.note}>{scope}</p>
    </section>
  );
}

const NoChange = () => <p className={styles.noChange}>No change to access.</p>;
