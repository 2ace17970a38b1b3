import type { ReactNode, Ref } from "react";
import styles from "./large-heading.module.css";

interface LargeHeadingProps {
  ref?: Ref<HTMLHeadingElement> | undefined;
  title: string;
  lead?: ReactNode;
}

/** The heading of a page without the sidebar. It is focusable, so that screen readers read it. */
export function LargeHeading({ ref, title, lead }: LargeHeadingProps) {
  return (
    <div>
      <h1 ref={ref} tabIndex={-1} className={styles.heading}>
        {title}
      </h1>
      {lead && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}
