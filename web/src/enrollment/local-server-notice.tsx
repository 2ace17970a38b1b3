import { config } from "../lib/config.ts";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./enrollment.module.css";

const docsLink = (page: string) => new URL(page, new URL(config.docsURL, location.origin)).href;

/** A local server listens on this machine only, so the commands don't work on other machines. */
export function LocalServerNotice() {
  if (config.environment !== "local") return null;
  return (
    <Notice tone="info">
      <code>{location.host}</code> is only reachable from this machine, so the command only works here. To
      enroll other machines, put the server{" "}
      <a href={docsLink("enrolling-hosts#enroll-other-machines-from-a-local-server")} className={styles.link}>
        behind a reverse proxy on your LAN
      </a>{" "}
      or{" "}
      <a href={docsLink("production")} className={styles.link}>
        deploy it to production
      </a>
      .
    </Notice>
  );
}
