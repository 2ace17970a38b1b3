import type { ReactNode } from "react";
import { Card } from "./card.tsx";
import styles from "./form-page.module.css";
import { PageContent } from "./page-content.tsx";
import { useReadOnly } from "../base/read-only.ts";

export function FormPage({ children }: { children: ReactNode }) {
  return <PageContent kind="form">{children}</PageContent>;
}

interface EditorPageProps {
  header: ReactNode;
  children: ReactNode;
}

/** A form with room for a panel beside it, which is marked with `data-aside`. */
export function EditorPage({ header, children }: EditorPageProps) {
  return (
    <PageContent kind="editor">
      {header}
      <div className={styles.withAside}>{children}</div>
    </PageContent>
  );
}

export function Cards({ children }: { children: ReactNode }) {
  return <div className={styles.cards}>{children}</div>;
}

interface DangerCardProps {
  title: string;
  /** The consequences. */
  children: ReactNode;
  action: ReactNode;
}

/** The last card of a page, for actions that can't be undone. Hidden from auditors. */
export function DangerCard(props: DangerCardProps) {
  return useReadOnly() ? null : <ActionCard {...props} />;
}

/** An action with its explanation, for everyone. */
export function ActionCard({ title, children, action }: DangerCardProps) {
  return (
    <Card title={title}>
      <div className={styles.danger}>
        <p>{children}</p>
        {action}
      </div>
    </Card>
  );
}

/** A part of a form with its own heading. */
export function FormSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}
