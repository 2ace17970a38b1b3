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
      <UnreachableNotice host={host} />
      <DebugCommands key={host.id} host={host} />
      <DebugLogs key={`logs ${host.id}`} host={host} />
    </div>
  );
}

/** Explains up front why commands won't work. */
function UnreachableNotice({ host }: { host: HostV2 }) {
  const { statuses } = host.metadata;
  const at = hostPath(host);
  if (host.isBlocked)
    return (
      <Notice tone="warn">
        This host is blocked and can’t run commands. <Link to={`${at}/unblock`}>Unblock it</Link> first.
      </Notice>
    );
  if (statuses.includes("neverEnrolled"))
    return (
      <Notice tone="info">
        This host isn’t enrolled, so it can’t run commands. <Link to={`${at}/enroll`}>Enroll it</Link> first.
      </Notice>
    );
  if (statuses.includes("offline"))
    return <Notice tone="info">This host is offline. Commands work when its agent reconnects.</Notice>;
  return null;
}
