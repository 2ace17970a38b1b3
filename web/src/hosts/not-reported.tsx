import type { HostV2 } from "@lightkeeper/contract";
import styles from "./host-page.module.css";

function reasonOf({ isBlocked, metadata }: HostV2): string {
  if (isBlocked) return "Not kept for blocked hosts";
  return metadata.statuses.includes("neverEnrolled") ? "Shown after enrollment" : NOT_REPORTED;
}

const NOT_REPORTED = "Not reported";

/** For a value that the agent of a host doesn't report; without a host, for a tunnel. */
export const NotReported = ({ host }: { host?: HostV2 }) => (
  <span className={styles.faint}>{host ? reasonOf(host) : NOT_REPORTED}</span>
);

/** For a value that only a connected host has. */
export function NoLiveValue({ host }: { host: HostV2 }) {
  const isOffline = host.metadata.statuses.includes("offline");
  return isOffline ? (
    <span className={styles.faint}>Shown when the host is online</span>
  ) : (
    <NotReported host={host} />
  );
}
