import { useEffect, useRef, type ReactNode } from "react";
import { usePageTitle } from "../lib/title.ts";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { LargeHeading } from "../ui/on-demand/large-heading.tsx";
import styles from "./auth.module.css";

export interface AuthPanelProps {
  title: string;
  pageTitle?: string;
  lead?: ReactNode;
  children?: ReactNode;
  /** For a panel that replaces another on the same page: focuses the heading, so that screen readers read it. */
  announced?: boolean;
}

export function AuthPanel({
  title,
  pageTitle = `Auth: ${title}`,
  lead,
  children,
  announced,
}: AuthPanelProps) {
  usePageTitle(pageTitle);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (announced) heading.current?.focus();
  }, [announced]);
  return (
    <div className={styles.panel}>
      <LargeHeading ref={heading} title={title} lead={lead} />
      {children}
    </div>
  );
}

export function Loading({ label = "Loading" }: { label?: string }) {
  return (
    <div className={styles.waiting} role="status">
      <Spinner delayed label={label} />
    </div>
  );
}
