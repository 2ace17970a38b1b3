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
/** A single call lost on the way is no outage: it is asked again before this has passed. */
export const PATIENCE_MS = 1500;

/** Asks until the API answers; whatever it answers is noticed by the connection itself. */
function probe(): () => void {
  const ask = () => void api(whoami).catch(() => undefined);
  const timer = setInterval(ask, PROBE_MS);
  window.addEventListener("online", ask);
  return () => {
    clearInterval(timer);
    window.removeEventListener("online", ask);
    if (readConnection().reachable) void queryClient.invalidateQueries();
  };
}

function Lost({ respondedAt }: { respondedAt: number | undefined }) {
  useEffect(probe, []);
  const isOutage = useElapsed(PATIENCE_MS);
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

/** While the API is away the last data stays on screen, and this says so. */
export function ConnectionBanner() {
  const { reachable, respondedAt } = useConnection();
  return reachable ? null : <Lost respondedAt={respondedAt} />;
}

/** For pages without the main layout, which has it already. */
export function WithConnectionBanner() {
  return (
    <>
      <ConnectionBanner />
      <Outlet />
    </>
  );
}
