import type { ReactNode } from "react";
import { Card } from "./card.tsx";
import styles from "./form-page.module.css";
import { PageContent } from "./page-content.tsx";
import { useReadOnly } from "../base/read-only.ts";

/** The header, then cards. */
export function FormPage({ children }: { children: ReactNode }) {
  return <PageContent kind="form">{children}</PageContent>;
}

export function Cards({ children }: { children: ReactNode }) {
  return <div className={styles.cards}>{children}</div>;
}

interface DangerCardProps {
  title: string;
  /** What it costs. */
  children: ReactNode;
  action: ReactNode;
}

/** The last card of a page, for what cannot be undone; not there for who only reads. */
export function DangerCard(props: DangerCardProps) {
  return useReadOnly() ? null : <ActionCard {...props} />;
}

/** One act with its explanation, for everybody. */
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

/** A part of a form with a heading of its own. */
export function FormSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}
