import type { Downloads } from "@lightkeeper/contract";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./downloads.module.css";

/** Why there are no executables, or only older ones. */
export function BuildNotice({ state, reason }: NonNullable<Downloads["build"]>) {
  if (state === "building")
    return (
      <Notice tone="info">
        The server is building the executables for Linux, which takes about a minute. This page updates when
        they’re ready. Until then, the install script works on hosts with Node.js 20 or newer.
      </Notice>
    );
  return (
    <Notice tone="warn">
      The server couldn’t build the executables for Linux. {reason}{" "}
      <span className={styles.aside}>
        To try again, restart the server or run <code>npm run build:agent</code> on it. Until then, the
        install script works on hosts with Node.js 20 or newer.
      </span>
    </Notice>
  );
}
