import { usePageTitle } from "../lib/title.ts";
import { LinkButton } from "../ui/button.tsx";
import styles from "./error-page.module.css";

export function NotFoundPage() {
  usePageTitle("Nothing here");
  return (
    <div className={styles.page}>
      <h1>Nothing here (404)</h1>
      <p>The address may be mistyped, or what it led to has been deleted.</p>
      <LinkButton to="/">Go to the start page</LinkButton>
    </div>
  );
}
