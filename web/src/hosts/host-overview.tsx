import type { HostV2 } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Outlet, useOutletContext } from "react-router";
import { failureOf } from "../lib/list-page.ts";
import { ErrorState } from "../ui/feedback/error-state.tsx";
import { SkeletonRows } from "../ui/feedback/skeleton.tsx";
import { Card } from "../ui/pages/card.tsx";
import { ConnectivityCard, IdentityCard } from "./host-info-cards.tsx";
import { RoutesCard } from "./host-routes-card.tsx";
import { RulesCard } from "./host-rules-card.tsx";
import { SoftwareCard } from "./host-software-card.tsx";
import { CertificateCard, ConfigurationCard, OmissionsNotice } from "./host-state-cards.tsx";
import { hostStateQuery } from "./host-state.queries.ts";
import { TrafficCard } from "./host-traffic-card.tsx";
import { TunnelsCard } from "./host-tunnels-card.tsx";
import styles from "./host-page.module.css";

/** Only blocked hosts have it. */
const BlockProgressCard = lazy(async () => ({
  default: (await import("./block-progress-card.tsx")).BlockProgressCard,
}));

export function HostOverview() {
  const host = useOutletContext<HostV2>();
  const { data: state, error, isFetching, refetch } = useQuery(hostStateQuery(host.id));
  return (
    <>
      {host.isBlocked && (
        <Suspense>
          <BlockProgressCard host={host} />
        </Suspense>
      )}
      <div className={styles.overview}>
        <div className={styles.column}>
          {state && <RulesCard host={host} state={state} />}
          <TrafficCard host={host} />
          {state && <RoutesCard state={state} />}
          <ConnectivityCard host={host} state={state} />
        </div>
        <div className={styles.column}>
          <IdentityCard host={host} state={state} />
          <SoftwareCard host={host} state={state} />
          {state ? (
            <>
              <ConfigurationCard host={host} state={state} />
              <OmissionsNotice state={state} />
              <CertificateCard state={state} />
            </>
          ) : (
            <Card title="Configuration" padded={false}>
              {error ? (
                <ErrorState {...failureOf(error)} onRetry={() => void refetch()} retrying={isFetching} />
              ) : (
                <SkeletonRows rows={5} />
              )}
            </Card>
          )}
        </div>
        {state && (
          <div className={styles.full}>
            <TunnelsCard host={host} state={state} />
          </div>
        )}
      </div>
      <Outlet context={host} />
    </>
  );
}
