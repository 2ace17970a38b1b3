import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { fetchVersion } from "../lib/version.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import styles from "./version-check.module.css";

export const VERSION_POLL_MS = 600_000;
export const VERSION_STALE_MS = 300_000;

/** Whether the server has come to serve another version than it did when this page was loaded. */
function useHasNewVersion(): boolean {
  const { data: version } = useQuery({
    queryKey: ["version"],
    queryFn: ({ signal }) => fetchVersion(signal),
    refetchInterval: VERSION_POLL_MS,
    staleTime: VERSION_STALE_MS,
    gcTime: Infinity,
    retry: false,
  });
  const [first, setFirst] = useState(version);
  if (first === undefined && version !== undefined) setFirst(version);
  return first !== undefined && version !== first;
}

const reloadPage = () => window.location.reload();

/** Says that there is a new version, and makes the next navigation a full page load. */
export function VersionCheck({ reload = reloadPage }: { reload?: () => void }) {
  const hasNewVersion = useHasNewVersion();
  const { pathname } = useLocation();
  const lastPathname = useRef(pathname);
  useEffect(() => {
    if (lastPathname.current !== pathname && hasNewVersion) reload();
    lastPathname.current = pathname;
  }, [pathname, hasNewVersion, reload]);
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
        There is a new version of Lightkeeper. It loads with the next page you open.
      </Notice>
    </div>
  );
}
