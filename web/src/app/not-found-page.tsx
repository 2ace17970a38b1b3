import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/controls/button.tsx";
import styles from "./error-page.module.css";

interface NotFoundPageProps {
  /** "Could not find host-…", if a single object is missing. */
  what?: string | undefined;
}

export function NotFoundPage({ what }: NotFoundPageProps) {
  usePageTitle("Nothing here");
  return (
    <div className={styles.page}>
      <h1>Nothing here (404)</h1>
      {what && <p>{what}</p>}
      <p>The URL may be wrong, or the item was deleted.</p>
      <LinkButton to="/">Go to the start page</LinkButton>
    </div>
  );
}
