import { whoami } from "@lightkeeper/contract";
import { useEffect } from "react";
import { Outlet } from "react-router";
import { api } from "../lib/api.ts";
import { readConnection, useConnection } from "../lib/connection.ts";
import { formatClock } from "../lib/format.ts";
import { queryClient } from "../lib/query.ts";
import { Notice } from "../ui/feedback/notice.tsx";
import { useElapsed } from "../ui/base/timer.ts";
import styles from "./connection-banner.module.css";

export const PROBE_MS = 3000;
/** A single lost call isn't an outage: it is retried within this time. */
export const OUTAGE_AFTER_MS = 1500;

/** Calls the API until it responds. The connection state updates itself from the response. */
function probe(): () => void {
  const sendProbe = () => void api(whoami).catch(() => undefined);
  const timer = setInterval(sendProbe, PROBE_MS);
  window.addEventListener("online", sendProbe);
  return () => {
    clearInterval(timer);
    window.removeEventListener("online", sendProbe);
    if (readConnection().reachable) void queryClient.invalidateQueries();
  };
}

function UnreachableNotice({ respondedAt }: { respondedAt: number | undefined }) {
  useEffect(probe, []);
  const isOutage = useElapsed(OUTAGE_AFTER_MS);
  if (!isOutage) return null;
  return (
    <div className={styles.banner}>
      <Notice tone="warn">
        Can’t reach Lightkeeper.{" "}
        {respondedAt !== undefined && `Showing data from ${formatClock(respondedAt)}. `}
        Retrying…
      </Notice>
    </div>
  );
}

/** Shown while the API is unreachable and the last data stays on screen. */
export function ConnectionBanner() {
  const { reachable, respondedAt } = useConnection();
  return reachable ? null : <UnreachableNotice respondedAt={respondedAt} />;
}

/** For pages without the main layout, which has its own banner. */
export function WithConnectionBanner() {
  return (
    <>
      <ConnectionBanner />
      <Outlet />
    </>
  );
}
