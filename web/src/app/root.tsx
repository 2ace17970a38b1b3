import { Outlet, ScrollRestoration } from "react-router";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { PageFocus } from "./page-focus.tsx";
import styles from "./root.module.css";
import { VersionCheck } from "./version-check.tsx";

/** What every page has, signed in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <PageFocus />
      <VersionCheck />
      <ScrollRestoration />
    </>
  );
}

/** Before the first page's code has arrived. */
export function Starting() {
  return (
    <div className={styles.starting}>
      <Spinner size={48} delayed />
    </div>
  );
}
