import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { config } from "../lib/config.ts";
import { fetchVersion, isServing } from "../lib/version.ts";
import { Button } from "../ui/controls/button.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import styles from "./version-check.module.css";

export const VERSION_POLL_MS = 600_000;
export const VERSION_STALE_MS = 300_000;

/** Whether the server serves another version than the one this page was loaded from. */
function useHasNewVersion(): boolean {
  const { data: served } = useQuery({
    queryKey: ["version"],
    queryFn: ({ signal }) => fetchVersion(signal),
    refetchInterval: VERSION_POLL_MS,
    staleTime: VERSION_STALE_MS,
    gcTime: Infinity,
    retry: false,
    // The next poll tries again. A lost request isn't a bug, so nothing is reported.
    meta: { onError: () => undefined },
  });
  return served !== undefined && served !== config.version;
}

const reloadPage = () => window.location.reload();

/** Without a server, a reload would replace the page with the browser's error page. */
async function reloadIfServed(reload: () => void): Promise<void> {
  if (await isServing()) reload();
}

/** Announces a new version and makes the next navigation a full page load. */
export function VersionCheck({ reload = reloadPage }: { reload?: () => void }) {
  const hasNewVersion = useHasNewVersion();
  const { key } = useLocation();
  const lastKey = useRef(key);
  useEffect(() => {
    if (lastKey.current !== key && hasNewVersion) void reloadIfServed(reload);
    lastKey.current = key;
  }, [key, hasNewVersion, reload]);
  if (!hasNewVersion) return null;
  return (
    <div className={styles.bar}>
      <Notice
        tone="info"
        actions={
          <Button size="small" onClick={reload}>
            Reload
          </Button>
        }
      >
        A new version of Lightkeeper is available. It loads with the next page you open.
      </Notice>
    </div>
  );
}
