import type { ReactNode, Ref } from "react";
import styles from "./page-content.module.css";

interface PageContentProps {
  /** Determines the width, which is a token. */
  kind: "list" | "detail" | "form" | "editor" | "settings";
  ref?: Ref<HTMLDivElement> | undefined;
  children: ReactNode;
}

/** The content of a page of the main layout. All pages of a kind have the same width. */
export function PageContent({ kind, ref, children }: PageContentProps) {
  return (
    <div ref={ref} data-page={kind} className={styles[kind]}>
      {children}
    </div>
  );
}
