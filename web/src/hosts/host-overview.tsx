import type { HostV2 } from "@lightkeeper/contract";
import { lazy, Suspense } from "react";
import { Outlet, useLocation, useOutletContext } from "react-router";
import { useIsCovered } from "../lib/use-is-covered.ts";
import { hostPath } from "../references/host-link.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Card } from "../ui/pages/card.tsx";

const HostDetails = lazy(async () => ({ default: (await import("./host-details.tsx")).HostDetails }));
/** Only blocked hosts have it. */
const BlockProgressCard = lazy(async () => ({
  default: (await import("./block-progress-card.tsx")).BlockProgressCard,
}));

const loading = (
  <Card title="Identity" padded={false}>
    <SkeletonRows rows={7} />
  </Card>
);

export function HostOverview() {
  const host = useOutletContext<HostV2>();
  const isCovered = useIsCovered(useLocation().pathname !== hostPath(host));
  return (
    <>
      {host.isBlocked && (
        <Suspense>
          <BlockProgressCard host={host} />
        </Suspense>
      )}
      <Suspense fallback={loading}>{isCovered ? loading : <HostDetails host={host} />}</Suspense>
      <Outlet context={host} />
    </>
  );
}
