import type { ReactNode, Ref } from "react";
import styles from "./page-content.module.css";

interface PageContentProps {
  /** Decides the width; the widths are tokens. */
  kind: "list" | "detail" | "form" | "settings";
  ref?: Ref<HTMLDivElement> | undefined;
  children: ReactNode;
}

/** The content of a page of the main layout: all pages of a kind are equally wide. */
export function PageContent({ kind, ref, children }: PageContentProps) {
  return (
    <div ref={ref} data-page={kind} className={styles[kind]}>
      {children}
    </div>
  );
}
