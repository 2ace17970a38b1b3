import { Outlet, ScrollRestoration } from "react-router";
import { Spinner } from "../ui/feedback/spinner.tsx";
import { PageFocus } from "./page-focus.tsx";
import styles from "./root.module.css";
import { VersionCheck } from "./version-check.tsx";

/** Around every page. */
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

/** Shown until the code of the first page is loaded. */
export function Starting() {
  return (
    <div className={styles.starting}>
      <Spinner size={48} delayed />
    </div>
  );
}
