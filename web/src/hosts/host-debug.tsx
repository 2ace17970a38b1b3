import type { HostV2 } from "@lightkeeper/contract";
import { Link, useOutletContext } from "react-router";
import { Notice } from "../ui/feedback/notice.tsx";
import { DebugCommands } from "./debug-commands.tsx";
import { DebugLogs } from "./debug-logs.tsx";
import { hostPath } from "../references/host-link.tsx";
import styles from "./host-debug.module.css";

export function HostDebug() {
  const host = useOutletContext<HostV2>();
  return (
    <div className={styles.page}>
      <Unreachable host={host} />
      <DebugCommands key={host.id} host={host} />
      <DebugLogs key={`logs ${host.id}`} host={host} />
    </div>
  );
}

/** Said before anybody waits for an answer in vain. */
function Unreachable({ host }: { host: HostV2 }) {
  const { statuses } = host.metadata;
  const at = hostPath(host);
  if (host.isBlocked)
    return (
      <Notice tone="warn">
        A blocked host is not asked anything. <Link to={`${at}/unblock`}>Unblock it</Link> first.
      </Notice>
    );
  if (statuses.includes("neverEnrolled"))
    return (
      <Notice tone="info">
        This host has never enrolled, so there is nobody to ask. <Link to={`${at}/enroll`}>Enroll it</Link>{" "}
        first.
      </Notice>
    );
  if (statuses.includes("offline"))
    return <Notice tone="info">This host is offline. It answers once its agent is back.</Notice>;
  return null;
}
